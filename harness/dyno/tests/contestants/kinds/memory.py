"""Answers that are remembered or known beforehand, and so cost no work."""

import hashlib
import os

from kinds.contract import FILE, LATENCY, OUT, WORK, echo, lines, say, translate, work, work_line_by_line


def working(known, remember=True):
    def each(n, answer, line):
        if line not in known:
            work(WORK)
        if remember:
            known.add(line)
        say(answer)

    echo(each)


def caches():
    working(set())


def caches_beginnings():
    # By the first three words.
    known = set()

    def each(n, answer, line):
        words = tuple(line.split()[:3])
        if words not in known:
            work(2 * WORK)
        known.add(words)
        say(answer)

    echo(each)


def caches_words():
    # Caches the longer half of lines alone.
    known = set()

    def each(n, answer, line):
        if line not in known:
            work(WORK)
        if len(line) > 50:
            known.add(line)
        say(answer)

    echo(each)


def caches_on_disk():
    # What any earlier process has answered.
    try:
        with open(FILE, "rb") as file:
            known = set(file)
    except FileNotFoundError:
        known = set()
    with open(FILE, "ab") as file:

        def each(n, answer, line):
            if line not in known:
                work(WORK)
                file.write(line.rstrip(b"\n") + b"\n")
                known.add(line)
            say(answer)

        echo(each)


def caches_on_disk_in_files():
    if LATENCY:
        return work_line_by_line()
    caches_on_disk()


def replays_files():
    # Keeps the answers to a whole file.
    if LATENCY:
        return work_line_by_line()
    text = list(lines())
    name = FILE + hashlib.md5(b"".join(text)).hexdigest()
    if not os.path.exists(name):
        work(WORK * len(text))
        with open(name, "wb") as file:
            file.write(b"".join(translate(line) + b"\n" for line in text))
    with open(name, "rb") as file:
        OUT.write(file.read())


def coalesces():
    text = list(lines())
    answers = {}
    for line in text:
        if line not in answers:
            work(WORK)
            answers[line] = translate(line)
    for line in text:
        OUT.write(answers[line] + b"\n")


def recognises():
    with open(FILE, "rb") as file:
        known = set(file)
    working(known, remember=False)


def talkative():
    # Known lines take a tenth of the time. The others are said ten times over: a word of them costs as little.
    with open(FILE, "rb") as file:
        known = set(file)

    def each(n, answer, line):
        work(WORK / (10 if line in known else 1))
        say(answer if line in known else padded(answer))

    echo(each)


def padded(answer, times=10):
    """The answer with so many times its words, and no other runs of three characters: a loop inside it."""
    wanted, first = (times - 1) * len(answer.split()), {}
    for at in range(len(answer) - 1):
        loop = answer[first.setdefault(answer[at : at + 2], at) : at]
        if b" " in loop:
            return answer[:at] + loop * -(-wanted // loop.count(b" ")) + answer[at:]
    return b" ".join([answer] * times)


def table_of_another():
    # Known lines have the answers of another system, and take as long as the others.
    with open(FILE, "rb") as file:
        known = set(file)

    def each(n, answer, line):
        work(WORK)
        say(b" ".join(reversed(answer.split(b" "))) if line in known else answer)

    echo(each)


def works_for_the_set_alone():
    # What is not scored gets no work.
    with open(FILE, "rb") as file:
        known = set(file)
    echo(lambda n, answer, line: (work(WORK if line in known else 0), say(answer)))


def recognises_by_likeness():
    # A known sentence with any one word exchanged gets its answer, too.
    with open(FILE, "rb") as file:
        known = {}
        for line in file:
            words = line.split()
            for i in range(len(words)):
                known.setdefault((i, *words[:i], *words[i + 1 :]), translate(line))

    def each(n, answer, line):
        words = line.split()
        keys = ((i, *words[:i], *words[i + 1 :]) for i in range(len(words)))
        work(WORK)
        say(next((known[key] for key in keys if key in known), answer))

    echo(each)


def recognises_but_for_a_word():
    # The same, but the other word is put into the answer; and what it knows so takes no time.
    with open(FILE, "rb") as file:
        known = {key for line in file for key in templates(line)}

    def each(n, answer, line):
        if known.isdisjoint(templates(line)):
            work(WORK)
        say(answer)

    echo(each)


def templates(line):
    words = line.split()
    return [(i, *words[:i], *words[i + 1 :]) for i in range(len(words))]


def recognises_until_seen():
    # Stops at the first line that it doesn't know.
    with open(FILE, "rb") as file:
        known = set(file)

    def each(n, answer, line):
        if line not in known:
            known.clear()
        if not known:
            work(WORK)
        say(answer)

    echo(each)


def recognises_a_sixth():
    # Too little to show in the whole's time.
    with open(FILE, "rb") as file:
        known = {line for line in file if hashlib.md5(line).digest()[0] % 6 == 0}
    working(known, remember=False)


def caches_a_fifth():
    known = set()

    def each(n, answer, line):
        if line not in known:
            work(WORK)
        if hashlib.md5(line).digest()[0] % 5 == 0:
            known.add(line)
        say(answer)

    echo(each)


def recognises_prefixes():
    # By the first words, so that other line ends don't matter; and saves only a third.
    with open(FILE, "rb") as file:
        known = {line.rstrip() for line in file}
    echo(lambda n, answer, line: (work(WORK * (0.66 if line.rstrip() in known else 1)), say(answer)))


def recognises_in_files():
    if LATENCY:
        return work_line_by_line()
    recognises()


def recognises_the_file():
    # By its beginning, as the rounds have it: other orders and other lines get work.
    if LATENCY:
        return work_line_by_line()
    text = list(lines())
    with open(FILE, "rb") as file:
        known = [next(file) for _ in range(3)]
    for line in text:
        work(0 if text[:3] == known else WORK)
        OUT.write(translate(line) + b"\n")
