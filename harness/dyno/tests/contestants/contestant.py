#!/usr/bin/env python3
"""Small contestants for the bench: honest ones, and one for each way of breaking the rules.

contestant.py MODE TRACK [FILE [SEED]]    SEED: draws the constants of those in `in_rounds`; FILE: a test set's source, or scratch space, for those that need one

Each answers a line by the same line in capitals, after some work where time matters, and does one thing wrong. MODE is the
name of a function in one of the files of `kinds`, which go by what is wrong.
"""

import importlib
import sys

KINDS = [
    "honest",
    "honest_in_time",
    "honest_in_parts",
    "honest_memory",
    "honest_uring",
    "holding_back",
    "ending",
    "counting",
    "texts",
    "processes",
    "memory",
    "prompted",
    "peak",
    "in_rounds",
    "hiding",
    "stopped",
]


def mode(name):
    kinds = (importlib.import_module(f"kinds.{kind}") for kind in KINDS)
    return next((found for kind in kinds if (found := getattr(kind, name, None))), None)


if __name__ == "__main__":
    (mode(sys.argv[1]) or sys.exit(f"no contestant {sys.argv[1]}; their names are in expected.tsv"))()
