"""Which pairs are fit to learn from: right language, sane length ratio, no loops, no copies, every pair once.

The language test needs no outside model: every three-letter group has a log-odds of being German or English, counted on
the two sides of the pairs themselves, and a line is in the language towards which its groups lean. Rules differ from
corpus to corpus: a program's label may equal its translation, a caption may not. `Rules` names every rule; its defaults
are those for captions that a network translated.
"""

import argparse
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recipe.files import Places

UNALIGNED = -1e9  # a bound that no alignment score falls below


@dataclass(frozen=True)
class Rules:
    shortest_words: int = 2
    longest_words: int = 1000
    characters_de_per_en: float = 1.2  # what a fair translation has; of captions, and nearly so of all text here
    # Beyond twice or half of the fair length something was lost or made up.
    largest_ratio: float = 2.0
    slack: int = 0            # characters added to both sides first: "OK" and "In Ordnung" are a fair pair of labels
    copies: bool = False      # the two sides may be equal: names, product labels
    capitals: bool = True     # German needs one after its first letter: else a writer in a hurry
    loops: bool = False       # the text may repeat itself at once
    numbers: bool = True      # sides with numbers must share one: "Room 87 | Zimmer 33" comes from another table's row
    language_margin: float = 0.0  # nats a letter group by which a line may lean to the other language
    alignment: float = UNALIGNED  # least alignment score, see `recipe.align.scores`


def letter_groups(line: str) -> Iterator[str]:
    text = f" {line.lower()} "
    return (text[i: i + 3] for i in range(len(text) - 2))


class Language:
    """Log-odds of German against English for every group of three letters, with one added to each count."""

    def __init__(self, english: list[str], german: list[str]):
        counts = {name: Counter(group for line in lines for group in letter_groups(line))
                  for name, lines in (("en", english), ("de", german))}
        groups = set(counts["en"]) | set(counts["de"])
        totals = {name: sum(counter.values()) + len(groups) for name, counter in counts.items()}
        shift = math.log(totals["en"] / totals["de"])
        self.odds = {group: math.log((counts["de"][group] + 1) / (counts["en"][group] + 1)) + shift
                     for group in groups}

    def leaning(self, line: str) -> float:
        """Nats a group: above zero German, below zero English; a group never seen says nothing."""
        odds = [self.odds.get(group, 0.0) for group in letter_groups(line)]
        return sum(odds) / max(1, len(odds))


def add_options(parser: argparse.ArgumentParser) -> None:
    """For stages that filter a network's output."""
    parser.add_argument("--like", nargs="+", default=["train"], help="pairs NAME.en, NAME.de that show what the "
                        "languages look like")
    parser.add_argument("--rules", type=Path, help="a TOML file whose [made] table differs from the captions' rules")


def of_options(options: argparse.Namespace, places: Places) -> tuple[Rules, Language]:
    table = tomllib.loads(options.rules.read_text(encoding="utf-8"))["made"] if options.rules else {}
    english, german = ([line for name in options.like for line in places.lines(f"{name}.{language}")]
                       for language in ("en", "de"))
    return Rules(**table), Language(english, german)


def tidy(line: str) -> str:
    """Spaces single, first letter a capital, a full stop at the end: how the translators' captions are written, and
    four in five of the further German ones."""
    line = " ".join(line.split())
    line = line[:1].upper() + line[1:]
    return line if line.endswith((".", "!", "?", '"')) else line.rstrip(" ,;:") + "."


def loops(line: str) -> bool:
    """A word three times running, or a group of two to four words twice running: how a stuck decoder speaks."""
    words = line.lower().split()
    if any(a == b == c for a, b, c in zip(words, words[1:], words[2:])):
        return True
    return any(words[i: i + size] == words[i + size: i + 2 * size]
               for size in (2, 3, 4) for i in range(len(words) - 2 * size + 1))


def numbers(line: str) -> set[str]:
    """Digits without their separators: 1,200.5 and 1.200,5 are the same number."""
    return {re.sub(r"\D", "", number) for number in re.findall(r"\d[\d.,]*", line)}


def reason_against(rules: Rules, language: Language, english: str, german: str) -> str | None:
    """Why the pair is not used, or None."""
    words = sorted((len(english.split()), len(german.split())))
    if words[0] < max(1, rules.shortest_words):
        return "too short"
    if words[1] > rules.longest_words:
        return "too long"
    ratio = (len(german) + rules.slack) / (len(english) + rules.slack) / rules.characters_de_per_en
    if max(ratio, 1 / ratio) > rules.largest_ratio:
        return "length ratio"
    if english == german:
        return None if rules.copies else "copy"
    if rules.capitals and german[1:] == german[1:].lower():
        return "no capitals"
    ours, theirs = numbers(english), numbers(german)
    if rules.numbers and ours and theirs and not ours & theirs:
        return "numbers"
    if not rules.loops and (loops(english) or loops(german)):
        return "loop"
    if language.leaning(german) < -rules.language_margin or language.leaning(english) > rules.language_margin:
        return "language"
    return None


def filtered(rules: Rules, language: Language, english: list[str],
             german: list[str]) -> tuple[list[str], list[str], Counter]:
    """The pairs that pass, each once, and how many failed for which reason."""
    rejected: Counter = Counter()
    kept: dict[tuple[str, str], None] = {}
    for pair in zip(english, german, strict=True):
        reason = "repeated pair" if pair in kept else reason_against(rules, language, *pair)
        if reason:
            rejected[reason] += 1
        else:
            kept[pair] = None
    return [pair[0] for pair in kept], [pair[1] for pair in kept], rejected
