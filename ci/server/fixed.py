"""A server with a fixed service time: one line after another, each takes SECONDS, and is echoed.

The schedule is absolute, so that a busy server doesn't drift: a line's service begins when the line is there
and the line before is done. The server never sleeps: a wake-up would add to the service.

With a second argument the server stalls once for so many seconds, at the line of the third argument.
"""

import os
import sys
import time


def main():
    service = float(sys.argv[1])
    stall = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    stalls_at = int(sys.argv[3]) if len(sys.argv) > 3 else -1
    os.set_blocking(0, False)
    pending, free, done = b"", 0.0, 0
    while True:
        waits = False
        while b"\n" not in pending:
            try:
                data = os.read(0, 1 << 16)
            except BlockingIOError:
                waits = True
                continue
            if not data:
                return
            pending += data
        line, pending = pending.split(b"\n", 1)
        free = (time.monotonic() if waits else free) + service
        if done == stalls_at:
            free += stall
        while time.monotonic() < free:
            pass
        os.write(1, line + b"\n")
        done += 1


main()
