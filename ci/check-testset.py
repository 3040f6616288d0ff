#!/usr/bin/env python3
"""Checks a shipped test set: shape, lengths, duplicates and near-duplicates.

    ci/check-testset.py testsets/captions-en-de            check
    ci/check-testset.py testsets/captions-en-de --stamp    write lines and sha256 into the manifest
    ci/check-testset.py testsets/everyday-en-de --found    lines that were found, not written: their spelling may vary

Two sentences are near-duplicates if their character trigrams overlap too much (Jaccard), in source or reference. Such
a pair would count one difficulty twice. The limit leaves room for sentences that share a frame of function words, as
real captions do.
"""

import argparse
import hashlib
import re
import sys
from itertools import combinations
from pathlib import Path

SHORTEST, LONGEST = 4, 40  # words of the source
FEWEST = 700  # lines
ALIKE = 0.6  # of all trigrams of two sentences, the shared ones


def normal(text: str) -> str:
    return re.sub(r"[^\w ]", "", text.casefold())


def trigrams(text: str) -> frozenset:
    padded = f"  {normal(text)}  "
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2))


def shape_faults(source: list, reference: list, found: bool):
    if len(source) != len(reference):
        yield f"{len(source)} source lines, but {len(reference)} reference lines"
    if len(source) < FEWEST:
        yield f"{len(source)} lines are fewer than {FEWEST}"
    for number, (english, german) in enumerate(zip(source, reference), 1):
        words = len(english.split())
        if not SHORTEST <= words <= LONGEST:
            yield f"line {number}: {words} words"
        if found:
            continue
        for text in (english, german):
            if text != " ".join(text.split()) or re.search("[“”„‘’\t\u00a0]", text):
                yield f"line {number}: odd space or quotation mark in {text!r}"
        if english.rstrip('"')[-1:] != german.rstrip('"')[-1:]:
            yield f"line {number}: ends {english[-1:]!r} and {german[-1:]!r}"


def alike(a: frozenset, b: frozenset) -> float:
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)


def duplicates(lines: list):
    grams = [trigrams(line) for line in lines]
    for a, b in combinations(range(len(lines)), 2):
        if (part := alike(grams[a], grams[b])) > ALIKE:
            yield f"lines {a + 1} and {b + 1} are {part:.0%} alike: {lines[a]!r}, {lines[b]!r}"


def manifest_of(folder: Path):
    text = (folder / "testset.toml").read_text(encoding="utf-8")
    field = lambda name: re.search(rf'^{name} = \[?"?([^"\]\n]*)', text, re.M).group(1)
    return text, folder / field("source"), folder / field("references")


def stamp(folder: Path, text: str, count: int, digest: str):
    text = re.sub(r"^lines = .*$", f"lines = {count}", text, flags=re.M)
    text = re.sub(r"^sha256 = .*$", f'sha256 = "{digest}"', text, flags=re.M)
    (folder / "testset.toml").write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stamp", action="store_true", help="write lines and sha256 into the manifest")
    parser.add_argument("--found", action="store_true", help="the lines were found: leave their spelling alone")
    arguments = parser.parse_args()
    text, source_path, reference_path = manifest_of(arguments.folder)
    blobs = [path.read_bytes() for path in (source_path, reference_path)]
    source, reference = ([line for line in blob.decode().split("\n")[:-1]] for blob in blobs)
    digest = hashlib.sha256(b"".join(blobs)).hexdigest()
    faults = [*shape_faults(source, reference, arguments.found), *duplicates(source), *duplicates(reference)]
    if arguments.stamp:
        stamp(arguments.folder, text, len(source), digest)
    elif f'sha256 = "{digest}"' not in text:
        faults.append("the manifest's sha256 is another: stamp it, if the change was meant")
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
