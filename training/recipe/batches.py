"""Batches for training: pairs of id lists, shuffled by seed, grouped by length, cut by tokens.

The order of a pass depends only on the seed and the number of the pass, so a run that was stopped resumes at the very
batch it had reached. One pass sees a pair as often as its weight says: of weight 2.3 twice, and in three passes of ten
a third time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy
import sentencepiece
import torch
from torch import Tensor

from recipe.files import Places
from recipe.vocab import EOS

# Pairs with a longer target are left out and longer sources cut: 200 pieces are some 120 words.
MAX_PIECES = 200
NO_WORD = -100  # the label of a padded position, where padding has one: cross_entropy's own
SHORT_WORDS = 3  # of a source that counts as a label, where a corpus has a weight of its own for labels


@dataclass
class Batch:
    source: Tensor       # [B, S] ids, padded with EOS
    source_mask: Tensor  # [B, S] 1 or 0, float
    target: Tensor       # [B, T] ids
    real: Tensor         # [N] places of the real target words, without the padding, in the flattened target
    labels: Tensor       # [N] those words

    def on(self, device: str) -> "Batch":
        """The batch in that device's memory; a GPU goes on with the update before while it is copied."""
        if torch.device(device).type != "cuda":
            return self
        return Batch(*(tensor.pin_memory().to(device, non_blocking=True) for tensor in vars(self).values()))


class Corpus:
    """Parallel text in memory, encoded once, or anew for every pass when subword regularisation samples."""

    def __init__(self, places: Places, pairs: list[dict], vocab: sentencepiece.SentencePieceProcessor,
                 sample_alpha: float = 0.0):
        """`pairs`: tables {source, target, weight, short_weight}, as `recipe.config` describes them."""
        self.vocab = vocab
        self.sample_alpha = sample_alpha
        self.sources: list[str] = []
        self.targets: list[str] = []
        weights: list[float] = []
        for pair in pairs:
            source, target = places.lines(pair["source"]), places.lines(pair["target"])
            if len(source) != len(target):
                raise ValueError(f"{pair['source']} has {len(source)} lines, {pair['target']} {len(target)}")
            self.sources += source
            self.targets += target
            weights += [weight_of(line, pair) for line in source]
        self.encoded_targets = encode(vocab, self.targets)
        plain = encode(vocab, self.sources)
        self.source_lengths = numpy.array([len(ids) for ids in plain])
        self.target_lengths = numpy.array([len(ids) for ids in self.encoded_targets])
        usable = (self.target_lengths <= MAX_PIECES) & (self.target_lengths > 1) & (self.source_lengths > 1)
        self.weights = numpy.where(usable, weights, 0.0)
        self.encoded_sources = None if sample_alpha else plain

    def batches(self, seed: int, number: int, tokens: int, widths: Callable[[int], int] = int) -> list[list[int]]:
        """The pass's batches as lists of line numbers, each with about `tokens` target tokens after padding to the width
        for its greatest length."""
        random = numpy.random.default_rng((seed, number))
        times = numpy.floor(self.weights + random.uniform(0, 1, len(self.weights))).astype(int)
        lines = numpy.repeat(numpy.arange(len(times)), times)
        lengths = self.target_lengths[lines]
        # By target length and within it by source length: hardly any padding on either side (by target alone a third
        # of the source positions is padding). The noise mixes neighbours anew in every pass.
        order = numpy.lexsort((self.source_lengths[lines] + random.uniform(0, 2, len(lines)), lengths))
        groups, group = [], []
        for line, length in zip(lines[order].tolist(), lengths[order].tolist()):
            if group and widths(length) * (len(group) + 1) > tokens:
                groups.append(group)
                group = []
            group.append(line)
        groups.append(group)
        random.shuffle(groups)
        return groups

    def pass_over(self, seed: int, number: int, tokens: int, skip: int = 0,
                  widths: Callable[[int], int] = int) -> Iterator[Batch]:
        """The batches of pass `number`, without the first `skip`."""
        sources = self.encoded_sources or self._sampled(seed, number)
        for group in self.batches(seed, number, tokens, widths)[skip:]:
            source, source_mask = padded([sources[line][:MAX_PIECES] for line in group])
            target, target_mask = padded([self.encoded_targets[line] for line in group])
            real = target_mask.flatten().nonzero().squeeze(1)
            yield Batch(source, source_mask.float(), target, real, target.flatten()[real])

    def _sampled(self, seed: int, number: int) -> list[numpy.ndarray]:
        """The sources cut into pieces at random (Kudo 2018), over all segmentations, smoothed by alpha."""
        sentencepiece.set_random_generator_seed(seed * 1000 + number)
        ids = self.vocab.encode(self.sources, enable_sampling=True, alpha=self.sample_alpha, nbest_size=-1,
                                num_threads=1)
        return [numpy.array(sentence + [EOS], dtype=numpy.int32) for sentence in ids]


def weight_of(source: str, pair: dict) -> float:
    short = len(source.split()) <= SHORT_WORDS
    return pair.get("weight", 1.0) * (pair.get("short_weight", 1.0) if short else 1.0)


def encode(vocab: sentencepiece.SentencePieceProcessor, lines: list[str]) -> list[numpy.ndarray]:
    return [numpy.array(ids + [EOS], dtype=numpy.int32) for ids in vocab.encode(lines)]


def padded(sentences: list) -> tuple[Tensor, Tensor]:
    """Lists or arrays of ids → [B, L] ids padded with EOS, and [B, L] bool mask."""
    lengths = numpy.array([len(sentence) for sentence in sentences])
    mask = numpy.arange(lengths.max())[None] < lengths[:, None]
    ids = numpy.full(mask.shape, EOS, dtype=numpy.int64)
    ids[mask] = numpy.concatenate(sentences)
    return torch.from_numpy(ids), torch.from_numpy(mask)
