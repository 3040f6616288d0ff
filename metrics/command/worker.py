#!/usr/bin/env python3
"""Any scorer that reads files, as a worker of dyno: `worker.py COMMAND …`, for example

    worker.py --range 0 1 comet-score --quiet -s {source} -t {output} -r {reference}

{source}, {output} and {reference} become files with a line for each line. A command that prints as many lines with a
number as there are lines gives a score for each; else the last number on its last line is the score of the text.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from worker import serve  # noqa: E402

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--direction", choices=["higher", "lower"], default="higher")
    parser.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"))
    parser.add_argument("--scorer-version", default="unknown", help="version that the signature names")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    words = arguments.command[arguments.command[:1] == ["--"] :]
    if not any("{output}" in word for word in words):
        parser.error("COMMAND must hold {output}")

    def score(source, hypothesis, references):
        with tempfile.TemporaryDirectory() as folder:
            texts = {"source": source, "output": hypothesis, "reference": references[0] if references else []}
            filled = words
            for name, lines in texts.items():
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines(line + "\n" for line in lines)
                filled = [word.replace("{" + name + "}", path) for word in filled]
            told = subprocess.run(filled, stdout=subprocess.PIPE, text=True, check=True).stdout
        return scores_in(told, len(hypothesis))

    facts = {"name": words[0], "version": arguments.scorer_version, "direction": arguments.direction}
    facts["signature"] = " ".join(words)
    facts["references"] = any("{reference}" in word for word in words)
    serve({**facts, "range": arguments.range} if arguments.range else facts, score)


def scores_in(told, count):
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    if len(lines) == count and count > 1 and all(NUMBER.match(line) for line in lines):
        return [float(line) for line in lines]
    numbers = [word for word in re.split(r"[\s:=]+", lines[-1]) if NUMBER.match(word)] if lines else []
    if not numbers:
        raise ValueError(f"no number on the last line of its output: {told[-80:]!r}")
    return float(numbers[-1])


main()
