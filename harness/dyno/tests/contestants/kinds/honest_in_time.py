"""Honest ones that take their time, or load, wait and warm up in ways that look like a fault."""

import os
import threading
import time

from kinds.contract import LATENCY, WORK, busy, echo, lines, say, translate


def honest_slow():
    echo(lambda n, answer, line: (time.sleep(0.03), say(answer)))


def honest_sleepy():
    # Longer than any idle system is waited for, now and then.
    echo(lambda n, answer, line: (time.sleep(0.8 if n == 5 else 0), say(answer)))


def honest_busy():
    echo(lambda n, answer, line: (busy(0.0001 * len(line.split())), say(answer)))


def honest_uneven():
    # Takes longer for some lines than for others, whatever is in them.
    echo(lambda n, answer, line: (time.sleep(WORK * (1 + n % 5)), say(answer)))


def honest_long_start():
    time.sleep(1.5)
    echo()


def honest_late_end():
    echo()
    time.sleep(0.5)


def honest_very_slow():
    echo(lambda n, answer, line: (time.sleep(0.35), say(answer)))


def honest_slow_start():
    # Loads for longer than one line may take.
    time.sleep(6)
    echo()


def honest_warming_up():
    # As a compiler does while it runs: each line a little quicker than the one before.
    echo(lambda n, answer, line: (busy(0.001 + 0.01 * 0.98**n), say(answer)))


def honest_collecting():
    # Stops now and then to collect garbage.
    echo(lambda n, answer, line: (busy(0.05 if n % 40 == 39 else 0.0005), say(answer)))


def honest_shared_shortlist():
    # Repeated lines make a batch's shortlist smaller: a fifth less work.
    seen = set()

    def each(n, answer, line):
        time.sleep(WORK * (0.8 if not LATENCY and line in seen else 1))
        seen.add(line)
        say(answer)

    echo(each)


def honest_lazy():
    # Loads when the first line has come.
    echo(lambda n, answer, line: (time.sleep(1.2 if n == 0 else 0), say(answer)))


def honest_slow_on_long_lines():
    # Attention takes time in the square of a line's length.
    echo(lambda n, answer, line: (busy(2e-7 * len(line) ** 1.8), say(answer)))


def honest_company():
    # Holds an answer for up to 50 ms, in case another line comes and can share its batch.
    import select

    held, rest, ended = [], b"", False
    while not ended:
        if not select.select([0], [], [], 0.05 if held else None)[0]:
            say(held.pop())
            continue
        more = os.read(0, 4096)
        ended = not more
        *whole, rest = (rest + more).split(b"\n")
        for line in whole + ([rest] if ended and rest else []):
            held.append(translate(line))
            if len(held) == 2:
                say(b"\n".join(held))
                held = []
    if held:
        say(held.pop())


def reading_ahead(waiting):
    """A thread reads; the other answers, and is allowed to wait meanwhile."""
    import queue

    read = queue.Queue()

    def reader():
        for line in lines():
            read.put(line)
        read.put(None)

    threading.Thread(target=reader, daemon=True).start()
    number = 0
    while (line := read.get()) is not None:
        if LATENCY and number % 100 == 30:
            waiting(read)
        say(translate(line))
        number += 1


def honest_patience():
    # Its wait has an end of its own, for longer than an idle system is waited for.
    condition = threading.Condition()

    def waiting(read):
        with condition:
            condition.wait(0.9)

    reading_ahead(waiting)


def honest_timer():
    # The same by a descriptor that the kernel makes readable in time.
    import ctypes
    import struct

    libc = ctypes.CDLL(None)
    timer = libc.timerfd_create(time.CLOCK_MONOTONIC, 0)

    def waiting(read):
        libc.timerfd_settime(timer, 0, struct.pack("qqqq", 0, 0, 0, 900_000_000), None)
        os.read(timer, 8)

    reading_ahead(waiting)
