"""Batches for training: pairs of id lists, shuffled by seed, grouped by length, cut by tokens.

The order of a pass depends only on the seed and the number of the pass, so a run that was stopped resumes at the very
batch it had reached. One pass sees every pair once.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy
import sentencepiece
import torch
from torch import Tensor

from recipe.files import Places
from recipe.vocab import EOS

# Pairs with a longer side are left out: captions have 15 pieces on average, and one outlier pads its whole batch.
MAX_PIECES = 80


@dataclass
class Batch:
    source: Tensor       # [B, S] ids, padded with EOS
    source_mask: Tensor  # [B, S] 1 or 0, float
    target: Tensor       # [B, T] ids
    target_mask: Tensor  # [B, T] bool


class Corpus:
    """Parallel text in memory, encoded once, or anew for every pass when subword regularisation samples."""

    def __init__(self, places: Places, pairs: list[dict], vocab: sentencepiece.SentencePieceProcessor,
                 sample_alpha: float = 0.0):
        """`pairs`: tables {source, target, copies}; a corpus with two copies is seen twice in a pass."""
        self.vocab = vocab
        self.sample_alpha = sample_alpha
        self.sources: list[str] = []
        self.targets: list[str] = []
        for pair in pairs:
            source, target = places.lines(pair["source"]), places.lines(pair["target"])
            if len(source) != len(target):
                raise ValueError(f"{pair['source']} has {len(source)} lines, {pair['target']} {len(target)}")
            self.sources += source * pair.get("copies", 1)
            self.targets += target * pair.get("copies", 1)
        self.encoded_targets = encode(vocab, self.targets)
        plain = encode(vocab, self.sources)
        self.source_lengths = numpy.array([len(ids) for ids in plain])
        self.encoded_sources = None if sample_alpha else plain

    def batches(self, seed: int, number: int, tokens: int) -> list[list[int]]:
        """The pass's batches as lists of line numbers, each with about `tokens` target tokens after padding."""
        random = numpy.random.default_rng((seed, number))
        lengths = numpy.array([len(ids) for ids in self.encoded_targets])
        # By target length and within it by source length: hardly any padding on either side (by target alone a third
        # of the source positions is padding). The noise mixes neighbours anew in every pass.
        order = numpy.lexsort((self.source_lengths + random.uniform(0, 2, len(lengths)), lengths))
        groups, group, widest = [], [], 0
        for line in order:
            if lengths[line] > MAX_PIECES or lengths[line] < 2 or not self.sources[line]:
                continue
            widest = max(widest, lengths[line])
            if group and widest * (len(group) + 1) > tokens:
                groups.append(group)
                group, widest = [], lengths[line]
            group.append(int(line))
        groups.append(group)
        random.shuffle(groups)
        return groups

    def pass_over(self, seed: int, number: int, tokens: int, skip: int = 0) -> Iterator[Batch]:
        """The batches of pass `number`, without the first `skip`."""
        sources = self.encoded_sources or self._sampled(seed, number)
        for group in self.batches(seed, number, tokens)[skip:]:
            source, source_mask = padded([sources[line][:MAX_PIECES] for line in group])
            target, target_mask = padded([self.encoded_targets[line] for line in group])
            yield Batch(source, source_mask.float(), target, target_mask)

    def _sampled(self, seed: int, number: int) -> list[list[int]]:
        """The sources cut into pieces at random (Kudo 2018), over all segmentations, smoothed by alpha."""
        sentencepiece.set_random_generator_seed(seed * 1000 + number)
        ids = self.vocab.encode(self.sources, enable_sampling=True, alpha=self.sample_alpha, nbest_size=-1,
                                num_threads=1)
        return [sentence + [EOS] for sentence in ids]


def encode(vocab: sentencepiece.SentencePieceProcessor, lines: list[str]) -> list[list[int]]:
    return [ids + [EOS] for ids in vocab.encode(lines)]


def padded(sentences: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Id lists → [B, L] ids padded with EOS, and [B, L] bool mask."""
    width = max(map(len, sentences))
    ids = torch.tensor([sentence + [EOS] * (width - len(sentence)) for sentence in sentences])
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    return ids, torch.arange(width)[None] < lengths[:, None]
