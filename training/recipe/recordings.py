"""Updates as CUDA graphs: one takes thousands of launches, 65 to 280 ms of a core, and the GPU waits for most of them.

A graph holds the whole forward and backward pass of an update and takes one launch. It is bound to the shapes and places
of its tensors. So batches are filled up to a ladder of lengths, and each pair of rungs has a graph of its own. A shape's
first batch runs as ever, which also warms the libraries up; its second is recorded.
"""

import bisect
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from recipe.batches import NO_WORD, Batch
from recipe.vocab import EOS

# Two passes over the general text have 108 pairs of rungs; for 100 real words there are 109 target and 127 source positions.
LADDER = [3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 80, 112, 160, 200]


def rung(length: int) -> int:
    return LADDER[bisect.bisect_left(LADDER, length)]


def filled(batch: Batch, tokens: int) -> Batch:
    """The batch with both lengths at their rungs, and as many rows as `tokens` hold of that rung."""
    target, source = rung(batch.target.shape[1]), rung(batch.source.shape[1])
    more = max(0, tokens // target - batch.target.shape[0])  # a line longer than `tokens` is a batch all the same
    labels = torch.full((batch.target.numel(),), NO_WORD).index_copy(0, batch.real, batch.labels)
    labels = grown(labels.view(batch.target.shape), target, more, NO_WORD).flatten()
    mask = grown(batch.source_mask, source, more, 0.0)
    mask[len(mask) - more:, 0] = 1.0  # attention over no word at all would be 0/0
    return Batch(grown(batch.source, source, more, EOS), mask, grown(batch.target, target, more, EOS),
                 torch.arange(len(labels)), labels)


def grown(matrix: Tensor, columns: int, more: int, value: float) -> Tensor:
    """[B, L] → [B + more, columns]"""
    return F.pad(matrix, (0, columns - matrix.shape[1], 0, more), value=value)


class Recordings:
    """The graphs of one network. `compute` runs a batch forward and backward, and returns its loss."""

    def __init__(self, compute: Callable[[Batch], Tensor], parameters: list[Tensor], tokens: int):
        self.compute, self.parameters, self.tokens = compute, parameters, tokens
        self.sums = [torch.zeros_like(parameter) for parameter in parameters]  # the gradients, of whichever graph
        self.seen: set[tuple] = set()
        self.graphs: dict[tuple, tuple] = {}
        self.pool = None

    def gradients(self, batch: Batch, device: str) -> Tensor:
        """As `compute`, for a batch in the host's memory: the gradients are in the parameters afterwards."""
        batch = filled(batch, self.tokens).on(device)
        shape = (batch.source.shape, batch.target.shape)
        if shape not in self.seen:
            self.seen.add(shape)
            return self.compute(batch)
        if shape not in self.graphs:
            self.graphs[shape] = self.record(batch)
        graph, places, loss = self.graphs[shape]
        for place, tensor in zip(vars(places).values(), vars(batch).values()):
            place.copy_(tensor)
        graph.replay()
        self.hand_out()
        return loss

    def hand_out(self) -> None:
        for parameter, gradient in zip(self.parameters, self.sums):
            parameter.grad = gradient

    def record(self, batch: Batch) -> tuple:
        places = Batch(*(tensor.clone() for tensor in vars(batch).values()))
        torch.cuda.empty_cache()  # what the batches before took is as much again as a recording needs
        self.hand_out()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool):
            torch._foreach_zero_(self.sums)
            loss = self.compute(places)
        self.pool = graph.pool()
        return graph, places, loss
