"""Answers whose text is not what a translator would say, or not the same each time."""

import hashlib
import time

from kinds.contract import FILE, LATENCY, echo, say


def random_words():
    import random

    def each(n, answer, line):
        words = answer.split(b" ")
        random.shuffle(words)
        say(b" ".join(words))

    echo(each)


def adds_the_time():
    echo(lambda n, answer, line: say(answer + b" " + str(time.time_ns()).encode()))


def depends_on_position():
    echo(lambda n, answer, line: say(answer + b" " + str(n).encode()))


def tires_of_repeats():
    # A line that it has seen gets a shorter answer.
    seen = set()

    def each(n, answer, line):
        say(answer[: len(answer) // 2 + 1] if line in seen else answer)
        seen.add(line)

    echo(each)


def empties_long_lines():
    echo(lambda n, answer, line: say(answer if len(line.split()) < 50 else b""))


def empties_some():
    echo(lambda n, answer, line: say(b"" if hashlib.md5(line).digest()[0] < 20 else answer))


def truncates():
    echo(lambda n, answer, line: say(b" ".join(answer.split(b" ")[:4])))


def writes_books():
    # Now and then an answer of megabytes.
    echo(lambda n, answer, line: say(answer + (b" x" * (1 << 20) if hashlib.md5(line).digest()[0] < 20 else b"")))


def repeats_itself():
    echo(lambda n, answer, line: say(b" ".join([answer] * 3)))


def hurries_in_files():
    # Another text in the throughput tracks.
    def shorter(answer):
        text = answer.decode(errors="replace")
        return text[: max(1, len(text) - 3)].encode()
    echo(lambda n, answer, line: say(answer if LATENCY else shorter(answer)))


def tires_of_launches():
    # Every second launch answers shorter: counted on the disk.
    with open(FILE, "a+b") as file:
        file.write(b".")
        tired = file.tell() % 2 == 0
    echo(lambda n, answer, line: say(b" ".join(answer.split(b" ")[: 2 if tired else None])))


def numbers_lines():
    echo(lambda n, answer, line: say(b"%d: %s" % (n + 1, answer)))
