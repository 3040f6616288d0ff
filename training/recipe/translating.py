"""Lines in, lines out: encoding, length-sorted batches, search, decoding. Used by several stages.

Translates in bfloat16 where the machine multiplies it natively, since bulk translation is most of distillation's cost;
tests ask for float32.
"""

import contextlib
from collections.abc import Callable

import sentencepiece
import torch

from recipe.batches import MAX_PIECES, padded
from recipe.models.network import Network
from recipe.search import Hypothesis, Settings, search
from recipe.vocab import EOS


def precision(device: str, bf16: bool):
    """The context in which products run: autocast to bfloat16, or plain float32."""
    return torch.autocast(device, torch.bfloat16) if bf16 else contextlib.nullcontext()


def translate(networks: list[Network], vocab: sentencepiece.SentencePieceProcessor, lines: list[str],
              settings: Settings, *, batch: int = 128, bf16: bool = True,
              between: Callable[[int], None] = lambda done: None) -> list[list[tuple[str, Hypothesis]]]:
    """For each line its n-best (text, hypothesis), best first; [] for an empty line. `between(lines done)` is called
    after every batch."""
    device = networks[0].at(networks[0].embedding).device
    ids = [pieces[: MAX_PIECES - 1] + [EOS] for pieces in vocab.encode(lines)]
    order = sorted((line for line in range(len(lines)) if len(ids[line]) > 1), key=lambda line: len(ids[line]))
    results: list[list[tuple[str, Hypothesis]]] = [[] for _ in lines]
    for first in range(0, len(order), batch):
        chosen = order[first: first + batch]
        source, mask = padded([ids[line] for line in chosen])
        with precision(device.type, bf16):
            found = search(networks, source.to(device), mask.float().to(device), settings)
        for line, hypotheses in zip(chosen, found):
            results[line] = [(vocab.decode(hypothesis.ids), hypothesis) for hypothesis in hypotheses]
        between(first + len(chosen))
    return results


def first_of(results: list[list[tuple[str, Hypothesis]]]) -> list[str]:
    return [hypotheses[0][0] if hypotheses else "" for hypotheses in results]
