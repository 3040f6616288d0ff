"""Honest ones that read and write in their own way."""

import os
import re
import sys
import time

from kinds.contract import LATENCY, OUT, echo, lines, say, translate


def honest_plain():
    echo()


def honest_text():
    # As most people write it: text, not bytes.
    for line in sys.stdin:
        print(line.rstrip("\n").upper(), flush=True)


def honest_chatter():
    def each(n, answer, line):
        sys.stderr.write(f"[{n}] " + "translating " * 20 + "\n")
        sys.stderr.flush()
        say(answer)

    echo(each)


def honest_short():
    # A terse style: leaves out a word in six.
    def each(n, answer, line):
        words = answer.split(b" ")
        say(b" ".join(word for i, word in enumerate(words) if i % 6 != 5) or answer)

    echo(each)


def honest_batches():
    # In the throughput tracks it reads all, sorts by length, works, and restores the order.
    if LATENCY:
        return echo()
    text = list(lines())
    answers = [None] * len(text)
    for i in sorted(range(len(text)), key=lambda i: len(text[i])):
        answers[i] = translate(text[i])
    for answer in answers:
        OUT.write(answer + b"\n")


def honest_pieces():
    # Writes an answer in pieces.
    def each(n, answer, line):
        half = len(answer) // 2
        os.write(1, answer[:half])
        time.sleep(0.0005)
        os.write(1, answer[half:] + b"\n")

    echo(each)


def polling(may_read):
    """Reads what is there, and never waits in a read; `may_read` says when to look."""
    rest = b""
    os.set_blocking(0, False)
    while True:
        try:
            more = os.read(0, 4096) if may_read() else None
        except BlockingIOError:
            continue
        if more == b"":
            break
        *whole, rest = (rest + (more or b"")).split(b"\n")
        for line in whole:
            say(translate(line))
    if rest:
        say(translate(rest))


def honest_polling():
    # Looks for input now and then.
    import select

    polling(lambda: select.select([0], [], [], 0.05)[0])


def honest_odd_ends():
    # Answers end in a carriage return, from elsewhere, and with spaces: odd, but one line each.
    echo(lambda n, answer, line: say(answer + b"  \r"))


def honest_no_last_end():
    # In files no line end after the last answer.
    if LATENCY:
        return echo()
    OUT.write(b"\n".join(translate(line) for line in lines()))


def honest_carriage_returns():
    echo(lambda n, answer, line: say(answer.rstrip(b"\r") + b"\r"))


def honest_spinning():
    # Asks for input over and over, and never sleeps.
    polling(lambda: True)


def honest_replacing():
    # Reads odd bytes as U+FFFD.
    for line in lines():
        print(line.decode("utf-8", "replace").rstrip("\n").upper(), flush=True)


def honest_odd_text():
    # Answers that hold what ends lines, strings or pages elsewhere.
    odd = ["</script>", "=1+1", "\u2028", "nul\0", "\x85\x0b\x0c", "\u202e", "'\"\\`$(x)", "\ufeff\ufffd"]
    echo(lambda n, answer, line: say(answer + b" " + odd[len(line) % len(odd)].encode()))


def honest_masking():
    # Takes words out, so that an exchanged word changes nothing.
    echo(lambda n, answer, line: say(re.sub(rb"[A-Z]{4,}", b"*", answer)))
