"""Answers that are kept back: what the latency track forbids."""

import os
import sys

from kinds.contract import OUT, lines, say, translate


def lagging(may_lag):
    # Keeps answers back; one goes with each line for which `may_lag(number, held)` doesn't hold.
    held = []
    for number, line in enumerate(lines()):
        held.append(translate(line))
        if not may_lag(number, held):
            say(held.pop(0))
    for answer in held:
        say(answer)


def collecting(until):
    # Keeps answers back, and lets all go with a line for which `until(number, line, held)` holds.
    held = []
    for number, line in enumerate(lines()):
        held.append(translate(line))
        if until(number, line, held):
            say(b"\n".join(held))
            held = []
    if held:
        say(b"\n".join(held))


def reads_ahead(lag=1):
    lagging(lambda number, held: len(held) <= lag)


def reads_ahead_by_16():
    collecting(lambda number, line, held: len(held) == 16)


def lags_sometimes():
    collecting(lambda number, line, held: number % 43 != 42)


def reads_ahead_later():
    lagging(lambda number, held: number >= 150 and len(held) <= 1)


def holds_back_the_longest():
    collecting(lambda number, line, held: len(line) < 700)


def odd_lines_only():
    # Keeps the rules if the first line is one of a conformance suite.
    first = next(lines(), b"")
    held = [translate(first)]
    for line in lines():
        if not first.strip():
            say(held.pop())
        held.append(translate(line))
        if len(held) > 1:
            say(held.pop(0))
    for answer in held:
        say(answer)


def lags_on_long_lines():
    collecting(lambda number, line, held: len(line.split()) < 22)


def block_buffered(size=4096):
    buffer = b""
    for line in lines():
        buffer += translate(line) + b"\n"
        while len(buffer) >= size:
            os.write(1, buffer[:size])
            buffer = buffer[size:]
    OUT.write(buffer)


def block_buffered_64k():
    block_buffered(1 << 16)


def block_buffered_python():
    for line in sys.stdin:
        print(line.rstrip("\n").upper())


def waits_for_eof():
    for line in list(lines()):
        say(translate(line))
