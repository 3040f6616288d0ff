"""The contract that all contestants keep but for one point: a line in, the same line in capitals out, flushed."""

import os
import sys
import time

MODE, TRACK = sys.argv[1], sys.argv[2]
FILE = sys.argv[3] if len(sys.argv) > 3 else None
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
LATENCY = TRACK == "latency"
OUT = sys.stdout.buffer
WORK = 0.0015  # seconds a line, where time matters


def lines():
    return iter(sys.stdin.buffer.readline, b"")


def translate(line):
    return line.rstrip(b"\n").upper()


def say(answer):
    OUT.write(answer + b"\n")
    OUT.flush()


def busy(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def work(seconds):
    """Takes so much time of the core, however many others want it: what a translator does."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def echo(each=lambda number, answer, line: say(answer)):
    for number, line in enumerate(lines()):
        each(number, translate(line), line)


def work_line_by_line():
    echo(lambda n, answer, line: (work(WORK), say(answer)))


def leave_a_daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(0), os.close(1), os.close(2)
            time.sleep(3600)
        os._exit(0)
    os.wait()
