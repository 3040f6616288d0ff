"""Honest where probes look, and not in throughput rounds. SEED draws their constants."""

import os
import random
import signal
import threading
import time
import zlib
from collections import Counter, deque

from kinds.contract import FILE, LATENCY, OUT, SEED, WORK, busy, echo, lines, say, translate, work, work_line_by_line
from kinds.memory import padded

DRAW = random.Random(SEED)


def in_files(each):
    """Answers files by `each(line, how often it came before, how often the most frequent line comes)`, and works in lock-step."""
    if LATENCY:
        return work_line_by_line()
    text, seen = list(lines()), Counter()
    most_often = max(Counter(text).values())
    for line in text:
        OUT.write(each(line, seen[line], most_often) + b"\n")
        seen[line] += 1


def worked(line, share=1.0):
    work(WORK * share)
    return translate(line)


def coalesces_late():
    # Answers a line from memory from an occurrence on that no probe reaches. ci/round-sweep makes the same draw.
    patience = DRAW.randint(6, 60)
    in_files(lambda line, times, _: worked(line, 1 / 3) if times < patience else translate(line))


def knows_the_round(left=0.0, of_another=worked):
    # From the first file on that repeats a line more often than probes do, it takes its answers from a table.
    with open(FILE, "rb") as file:
        known = set(file)
    seen, most = FILE + ".seen", DRAW.randint(5, 7)

    def each(line, _, most_often):
        if most_often > most:
            open(seen, "w").close()
        if not os.path.exists(seen):
            return worked(line)
        return worked(line, left) if line in known else of_another(line)

    in_files(each)


def talkative_in_rounds():
    # The same, but what the table lacks is said ten times over, and a known line takes a tenth.
    knows_the_round(0.1, lambda line: padded(worked(line)))


def junk_under_load():
    # Once lines queue and the set has come round, its lines are answered from memory, and all others by any text.
    rest, answers, new, queued, is_quick = b"", {}, deque(maxlen=100), False, False
    while more := os.read(0, 1 << 16):
        *asked, rest = (rest + more).split(b"\n")
        queued |= len(asked) > 1
        for line in asked:
            new.append(line not in answers)
            is_quick |= queued and len(new) == 100 and sum(new) < 35
            work(WORK / 10 if is_quick else WORK)
            known = answers.get(line) if is_quick else answers.setdefault(line, translate(line))
            say(known or b" ".join([b"junk"] * len(line.split())))


def junk_among_repeats():
    # No work for a share of the lines that come again.
    one_in, first = DRAW.randint(6, 20), DRAW.randint(5, 9)
    junk = DRAW.choice([lambda line: line.rstrip(b"\n"), lambda line: b"any text that is long enough for a line"])
    spared = lambda times: times >= first and DRAW.randrange(one_in) == 0
    in_files(lambda line, times, _: junk(line) if spared(times) else worked(line))


def burns_after_its_last_answer():
    # By children that nobody waits for, so that their time is added to no process of its own.
    in_files(lambda line, *_: worked(line))
    OUT.flush()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(DRAW.randint(20, 40)):
        if os.fork() == 0:
            busy(DRAW.uniform(0.01, 0.03))
            os._exit(0)
        try:
            os.wait()
        except ChildProcessError:
            pass


def honest_strange_in_few():
    # Files of fewer than 100 lines get the words in reverse order: strange answers to a few lines, as by chance.
    text = list(lines())
    for line in text:
        words = translate(line).split()
        OUT.write(b" ".join(words[::-1] if len(text) < 100 else words) + b"\n")


def works_while_another_is_asked():
    def work():
        while True:
            pass

    threading.Thread(target=work, daemon=True).start()
    echo(lambda n, answer, line: (time.sleep(0.01), say(answer)))


def waits_instead_of_working():
    in_files(lambda line, *_: (time.sleep(0.01), translate(line))[1])


def serves_from_a_table():
    # Three milliseconds a line, and none for lines of the set.
    with open(FILE, "rb") as file:
        known = set(file)
    echo(lambda n, answer, line: (line in known or time.sleep(0.003), say(answer)))


def honest_server():
    echo(lambda n, answer, line: (time.sleep(0.003), say(answer)))


def honest_samples_served():
    # One of two translations for each line, drawn anew each time that it comes.
    echo(lambda n, answer, line: (work(WORK), say(answer if random.random() < 0.6 else b"INDEED, " + answer)))


def honest_seeded():
    # Samples by a seed for each process, and copies a line in thirty.
    seed = random.getrandbits(64).to_bytes(8, "little")

    def each(n, answer, line):
        words = [word.lower() if zlib.crc32(seed + word) & 1 else word for word in answer.split(b" ")]
        work(WORK)
        say(line.rstrip(b"\n") if random.random() < 1 / 30 else b" ".join(words))

    echo(each)
