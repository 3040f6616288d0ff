"""Which synthetic pairs are fit to learn from: right language, sane length ratio, no loops, no copies.

The language test needs no outside model: each vocabulary piece has a log-odds of being German or English, counted on
the real training text, and a line is in the language towards which its pieces' sum leans.
"""

import math
from collections import Counter

import sentencepiece

from recipe.files import Places

# German captions have 1.2 characters per English one; beyond twice or half of that something was lost or made up.
CHARACTERS_DE_PER_EN = 1.2
LARGEST_RATIO = 2.0
SHORTEST_WORDS = 2


class Language:
    """Log-odds of German against English for every piece, with one added to each count."""

    def __init__(self, places: Places, vocab: sentencepiece.SentencePieceProcessor):
        self.vocab = vocab
        counts = {language: Counter(piece for ids in vocab.encode(places.lines(f"train.{language}")) for piece in ids)
                  for language in ("de", "en")}
        totals = {language: sum(counter.values()) + len(vocab) for language, counter in counts.items()}
        self.odds = [math.log((counts["de"][piece] + 1) / totals["de"])
                     - math.log((counts["en"][piece] + 1) / totals["en"]) for piece in range(len(vocab))]

    def of(self, line: str) -> str:
        return "de" if sum(self.odds[piece] for piece in self.vocab.encode(line)) > 0 else "en"


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


def reason_against(language: Language, english: str, german: str) -> str | None:
    """Why the pair is not used, or None."""
    if min(len(english.split()), len(german.split())) < SHORTEST_WORDS:
        return "too short"
    ratio = len(german) / len(english) / CHARACTERS_DE_PER_EN
    if max(ratio, 1 / ratio) > LARGEST_RATIO:
        return "length ratio"
    if english == german:
        return "copy"
    if german[1:] == german[1:].lower():
        return "no capitals"  # German nouns have them: a writer in a hurry, and a model would learn it
    if loops(english) or loops(german):
        return "loop"
    if language.of(german) != "de" or language.of(english) != "en":
        return "language"
    return None


def filtered(language: Language, english: list[str], german: list[str]) -> tuple[list[str], list[str], Counter]:
    """The pairs that pass, each once, and how many failed for which reason."""
    rejected: Counter = Counter()
    kept: dict[tuple[str, str], None] = {}
    for pair in zip(english, german, strict=True):
        reason = "repeated pair" if pair in kept else reason_against(language, *pair)
        if reason:
            rejected[reason] += 1
        else:
            kept[pair] = None
    return [pair[0] for pair in kept], [pair[1] for pair in kept], rejected
