"""The bench's protocol for adapters: options, lines in, lines out. All adapters in this folder share it.

An adapter imports this module before the engine's: from then on standard output carries answers alone, and
what libraries print goes to standard error.
"""

import argparse
import json
import os
import sys

from arrivals import InFlight, arrivals

ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace", newline="\n")
os.dup2(2, 1)

# Lines of a batch in the throughput tracks and, at most, in the tracks `pages` and `server`, if the campaign has no number.
BATCH_LINES = 32


def options():
    """The command line that dyno writes; `settings` are the campaign's and the defaults of `adapter.toml`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--track", required=True)
    parser.add_argument("--cores", type=int, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--batch", type=int, help="words of a batch")
    parser.add_argument("--batch-lines", type=int)
    parser.add_argument("--facts", help="file of the program's own account; given to adapters with `reports`")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    chosen = parser.parse_args()
    chosen.settings = dict(setting.split("=", 1) for setting in chosen.set)
    chosen.line_by_line = chosen.track in ("latency", "latency-all")
    chosen.by_arrival = chosen.track in ("pages", "server")
    return chosen


def fail(message):
    """Ends the program with a message for the user."""
    sys.exit(message)


def report(chosen, backend, version, counts):
    """Writes the program's account of itself: whole numbers by name, of which FORMAT.md lists those that tables show."""
    if chosen.facts:
        with open(chosen.facts, "w", encoding="utf-8") as file:
            json.dump({"backend": backend, "version": version, "counts": counts}, file)


def serve(chosen, translate, translate_all=None, beside=1, together=None):
    """Answers the lines of standard input as the track asks.

    translate: function from a batch of lines to their translations.
    translate_all: the same for a whole file, for an engine that makes batches itself.
    beside: batches that the tracks `pages` and `server` have in translation at a time, in threads of their own.
    together: most lines of such a batch; `batch-lines` of the campaign if absent.
    """
    most = together or chosen.batch_lines or BATCH_LINES
    if chosen.line_by_line:
        for line in sys.stdin.buffer:
            answer(ending_removed(line), translate)
    elif chosen.by_arrival and beside > 1:
        for text in InFlight(lambda lines: answered(lines, translate), beside, most).answers():
            write([text])
    elif chosen.by_arrival:
        for lines in arrivals(most):
            answer(lines, translate)
    else:
        answer(ending_removed(sys.stdin.buffer.read()), translate_all or batched(chosen, translate))


def ending_removed(data):
    """Lines of `data`. A line ends in a line feed and nowhere else, whatever it holds."""
    return data.decode("utf-8", "replace").removesuffix("\n").split("\n")


def answer(lines, translate):
    """Writes one line for each line."""
    write(answered(lines, translate))


def answered(lines, translate):
    """One text for each line. A line without text has an answer without text."""
    there = [line for line in lines if line.strip()]
    texts = iter(translate(there) if there else [])
    return [next(texts) if line.strip() else "" for line in lines]


def write(texts):
    for text in texts:
        ANSWERS.write(text.replace("\n", " ") + "\n")
    ANSWERS.flush()


def batched(chosen, translate):
    """A function over a whole file: batches of lines of like length, then the file's order again."""

    def all_lines(lines):
        answers = [None] * len(lines)
        for batch in batches(chosen, [len(line.split()) for line in lines]):
            for at, text in zip(batch, translate([lines[at] for at in batch]), strict=True):
                answers[at] = text
        return answers

    return all_lines


def batches(chosen, lengths):
    """Numbers of the lines of each batch; `lengths` are the lines' words or tokens."""
    most = chosen.batch if chosen.batch else chosen.batch_lines or BATCH_LINES
    batch, filled = [], 0
    for at in sorted(range(len(lengths)), key=lengths.__getitem__):
        size = max(1, lengths[at]) if chosen.batch else 1
        if batch and filled + size > most:
            yield batch
            batch, filled = [], 0
        batch.append(at)
        filled += size
    if batch:
        yield batch
