"""Who doesn't give one line for one line, in order."""

import os
import time

from kinds.contract import OUT, echo, lines, say, translate


def drops_lines():
    echo(lambda n, answer, line: say(answer) if n % 7 != 6 else None)


def doubles_lines():
    echo(lambda n, answer, line: (say(answer + (b"\n" + answer if n % 7 == 6 else b""))))


def doubles_late():
    # The second answer comes when nobody looks any more.
    echo(lambda n, answer, line: (say(answer), time.sleep(0.001), say(answer) if n % 7 == 6 else None))


def answers_early():
    # Stops the clock with an empty line; the text comes behind it.
    echo(lambda n, answer, line: (say(b""), time.sleep(0.001), say(answer)))


def ends_with_an_empty_line():
    echo()
    say(b"")


def skips_empty_lines():
    echo(lambda n, answer, line: say(answer) if answer else None)


def splits_at_separators():
    def each(n, answer, line):
        for part in line.decode("utf-8", "replace").splitlines() or [""]:
            say(part.upper().encode())

    echo(each)


def splits_long_lines():
    echo(lambda n, answer, line: [say(answer[i : i + 4096]) for i in range(0, max(1, len(answer)), 4096)])


def forgets_the_unended_line():
    echo(lambda n, answer, line: say(answer) if line.endswith(b"\n") else None)


def reorders():
    for line in sorted(lines(), key=len):
        OUT.write(translate(line) + b"\n")


def swapping(first):
    text = [translate(line) for line in lines()]
    for i in first(text):
        text[i], text[i + 1] = text[i + 1], text[i]
    for answer in text:
        OUT.write(answer + b"\n")


def swaps_neighbours():
    swapping(lambda text: range(0, len(text) - 1, 2))


def swaps_once():
    # Neighbours of three words or more: short answers may stand the other way round by chance. Within the first sixteen
    # lines, which a probe asks of a system that a loaded machine makes slow.
    def first(text):
        is_long = [len(answer.split()) >= 3 for answer in text]
        return [i for i in range(6, len(text) - 1) if is_long[i] and is_long[i + 1]][:1]

    swapping(first)


def repeats_answers():
    # Every tenth line gets the answer of the line before.
    before = b""
    for number, line in enumerate(lines()):
        say(before if number % 10 == 9 else translate(line))
        before = translate(line)


def behind(first):
    # Flushes at once, but the answer is the line's before.
    before = first
    for line in lines():
        say(before)
        before = translate(line)


def one_behind():
    behind(b"HELLO")


def answers_by_the_next():
    # Stops the clock with an empty line, and the text comes as the next line's answer.
    behind(b"")


def banner():
    say(b"Translator 1.0 ready")
    echo()


def farewell():
    echo()
    say(b"bye")


def prompts():
    OUT.write(b"> ")
    OUT.flush()
    echo(lambda n, answer, line: (OUT.write(answer + b"\n> "), OUT.flush()))


def floods():
    echo(lambda n, answer, line: [say(b"x" * 65535) for _ in range(1 << 16)])


def floods_stderr():
    def each(n, answer, line):
        while n == 10:
            os.write(2, b"e" * 65536)
        say(answer)

    echo(each)


def latin_1():
    echo(lambda n, answer, line: say(answer + " für".encode("latin-1")))


def cuts_characters():
    echo(lambda n, answer, line: say((answer + "ü".encode())[:-1]))
