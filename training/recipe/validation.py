"""The sets on which weights and settings are chosen, and a network's BLEU on each: one way for all stages."""

import sacrebleu
import sentencepiece

from recipe.config import Config
from recipe.files import Places
from recipe.models.network import Network
from recipe.search import Settings
from recipe.translating import first_of, translate

Sets = dict[str, tuple[list[str], list[str]]]  # name → sources, references


def read_sets(places: Places, names: list[str], source: str, target: str, lines: int | None = None) -> Sets:
    return {name: (places.lines(f"{name}.{source}")[:lines], places.lines(f"{name}.{target}")[:lines])
            for name in names}


def sets_while_training(places: Places, config: Config) -> Sets:
    return read_sets(places, config.validation, config.source, config.target, config.validation_lines)


def translated(networks: list[Network], vocab: sentencepiece.SentencePieceProcessor, sets: Sets, settings: Settings,
               bf16: bool) -> dict[str, list[str]]:
    """All sets in one go: lines of like length share a batch, whichever set they come from."""
    everything = [line for sources, _ in sets.values() for line in sources]
    found = iter(first_of(translate(networks, vocab, everything, settings, bf16=bf16)))
    return {name: [next(found) for _ in sources] for name, (sources, _) in sets.items()}


def bleus(found: dict[str, list[str]], sets: Sets) -> dict[str, float]:
    return {name: sacrebleu.BLEU().corpus_score(lines, [sets[name][1]]).score for name, lines in found.items()}


def mean(scores: dict[str, float]) -> float:
    """Every set counts the same: it stands for a kind of text, however many lines it has."""
    return sum(scores.values()) / len(scores)
