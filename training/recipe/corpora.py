"""Stage: real parallel text, ready to learn from: filtered, development lines held out, for every corpus of a list.

    python -m recipe.corpora configs/data/general.toml

    <work>/pairs/<name>.en, .de   what may be learnt, each pair once
    <work>/dev/<name>.en, .de     the corpus's development lines, for choosing weights and settings
    <work>/corpora.json           pairs read, kept and left out, with reasons; exists when the stage is done

The list is a TOML file: `seed`, `held_out` (lines a corpus), [rules] (fields of `filters.Rules`), and for every corpus
    [[corpora]]
    name = "news"
    text = "general/news-europarl-wiki/train"     .en and .de of it, in the data directory
    rules = { alignment = -6.0 }                  what differs from [rules]
    held_out = "multi30k/val"                     instead of drawn lines: a development set that came with the corpus
    old_spelling = true                           German as before 1996 in part of it: "daß" becomes "dass"
    [joined]                                      artificial long lines, a further corpus named "joined"
How often each corpus is seen is said where it is learnt from: by `weight` in a model's TOML file.
"""

import argparse
import json
import random
import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from recipe.align import scores
from recipe.files import Places, write_lines
from recipe.filters import Language, Rules, filtered

Pair = tuple[str, str]

SCORED_WORDS = 4  # English words from which an alignment score tells misaligned from rare: labels are full of rare words


@dataclass
class Corpus:
    name: str
    text: str
    rules: Rules
    held_out: int | str
    old_spelling: bool
    pairs: list[Pair] = field(default_factory=list)
    dev: list[Pair] = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)

    def keep(self, wanted, reason: str) -> None:
        """Leaves out the pairs for which `wanted(pair)` is false."""
        kept = [pair for pair in self.pairs if wanted(pair)]
        self.counts[reason] += len(self.pairs) - len(kept)
        self.pairs = kept


def read_list(places: Places, table: dict) -> list[Corpus]:
    corpora = []
    for entry in table["corpora"]:
        rules = Rules(**{**table.get("rules", {}), **entry.get("rules", {})})
        corpus = Corpus(entry["name"], entry["text"], rules, entry.get("held_out", table["held_out"]),
                        entry.get("old_spelling", False))
        corpus.pairs = read_pairs(places, corpus.text)
        corpus.counts["read"] = len(corpus.pairs)
        corpora.append(corpus)
    return corpora


def read_pairs(places: Places, name: str) -> list[Pair]:
    return list(zip(*(map(cleaned, places.lines(f"{name}.{language}")) for language in ("en", "de")), strict=True))


def cleaned(line: str) -> str:
    """Single spaces; invisible soft hyphens and byte order marks gone."""
    return " ".join(re.sub("[\u00ad\u200b\ufeff]", "", line).split())


def key(line: str) -> str:
    """What makes two lines the same: letters and digits, case folded."""
    return "".join(character for character in line.casefold() if character.isalnum())


def sides(pairs: list[Pair]) -> tuple[list[str], list[str]]:
    return [english for english, _ in pairs], [german for _, german in pairs]


# The steps, in order. Alignment is learnt from all corpora as one: small ones profit from the rest.

def modernise(corpora: list[Corpus]) -> None:
    """Writes ss for ß in a word of an old corpus wherever the other corpora more often do."""
    words = Counter(word for corpus in corpora if not corpus.old_spelling for _, german in corpus.pairs
                    for word in re.findall(r"\w+", german))

    def modern(found: re.Match) -> str:
        return max(found[0], found[0].replace("ß", "ss"), key=lambda word: words[word])

    for corpus in corpora:
        if corpus.old_spelling:
            corpus.pairs = [(english, re.sub(r"\w*ß\w*", modern, german)) for english, german in corpus.pairs]


def drop_unfit(corpora: list[Corpus]) -> None:
    language = Language(*sides([pair for corpus in corpora for pair in corpus.pairs]))
    for corpus in corpora:
        corpus.keep(lambda pair: key(pair[0]) and key(pair[1]), "no letters")
        english, german, rejected = filtered(corpus.rules, language, *sides(corpus.pairs))
        corpus.pairs = list(zip(english, german))
        corpus.counts.update(rejected)


def drop_misaligned(corpora: list[Corpus]) -> None:
    pairs = [pair for corpus in corpora for pair in corpus.pairs]
    english, german = ([re.findall(r"\w+|[^\w\s]", line.lower()) for line in lines] for lines in sides(pairs))
    score = dict(zip(pairs, scores(english, german)))
    for corpus in corpora:
        corpus.keep(lambda pair: len(pair[0].split()) < SCORED_WORDS or score[pair] >= corpus.rules.alignment,
                    "alignment")


def hold_out(places: Places, corpora: list[Corpus], seed: int) -> None:
    """Draws development lines with distinct English, and takes every pair that shares a side with one from training."""
    for corpus in corpora:
        if isinstance(corpus.held_out, str):
            corpus.dev = read_pairs(places, corpus.held_out)
            continue
        shuffled = corpus.pairs[:]
        random.Random(f"{seed} {corpus.name}").shuffle(shuffled)
        distinct = {key(pair[0]): pair for pair in shuffled}
        corpus.dev = list(distinct.values())[: corpus.held_out]
    held = [{key(pair[side]) for corpus in corpora for pair in corpus.dev} for side in (0, 1)]
    for corpus in corpora:
        corpus.keep(lambda pair: key(pair[0]) not in held[0] and key(pair[1]) not in held[1], "in development lines")


def joined(corpora: list[Corpus], lines: int, words: list[int], seed: int, **which) -> Corpus:
    """Pairs put end to end until the English side has a length drawn from `words`: most corpora are short, and a
    translator that saw no long line loses its place in one. Each line's parts come from one corpus (`from`)."""
    draw = random.Random(f"{seed} joined")
    result = Corpus("joined", "", Rules(), 0, False)
    pools = [corpus.pairs for corpus in corpora if corpus.name in which["from"]]
    while len(result.pairs) < lines:
        pool, length, parts = draw.choice(pools), draw.randint(*words), []
        while sum(len(english.split()) for english, _ in parts) < length:
            parts.append(draw.choice(pool))
        result.pairs.append(tuple(map(" ".join, zip(*parts))))
    return result


def write(places: Places, corpora: list[Corpus]) -> None:
    for corpus in corpora:
        for folder, pairs in (("pairs", corpus.pairs), ("dev", corpus.dev)):
            for language, lines in zip(("en", "de"), sides(pairs)):
                write_lines(places.work / folder / f"{corpus.name}.{language}", lines)
    report = {corpus.name: {"kept": len(corpus.pairs), "dev": len(corpus.dev), **corpus.counts} for corpus in corpora}
    write_lines(places.work / "corpora.json", json.dumps(report, indent=1).split("\n"))
    for name, counts in report.items():
        print(f"{name}: {counts}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("list", type=Path, help="configs/data/<list>.toml")
    options = parser.parse_args()
    places = Places.of(options)
    if (places.work / "corpora.json").exists():
        print("corpora.json exists: the stage is done")
        return
    table = tomllib.loads(options.list.read_text(encoding="utf-8"))
    corpora = read_list(places, table)
    modernise(corpora)
    drop_unfit(corpora)
    drop_misaligned(corpora)
    hold_out(places, corpora, table["seed"])
    if "joined" in table:
        corpora.append(joined(corpora, seed=table["seed"], **table["joined"]))
    write(places, corpora)


if __name__ == "__main__":
    main()
