"""What every network shares: flat parameters under Marian's names, and the interface that training and search use.

A network's parameters are registered directly under the names that Marian writes, so `state_dict()` is the exported
file. Matrices are [in, out] and vectors [1, n], as Marian stores them; rows are multiplied from the left.

Shapes in all families: B sentences, S source positions, T target positions, R rows of a search (hypotheses), D width,
V vocabulary. Padding is marked by a mask (1 real, 0 padding); the padded ids themselves are never looked at.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Masks:
    """Dropout masks cut at random places from a pool of 2²² drawn values, re-drawn after a number of cuts.

    An update needs about as many values as the pool has, so its masks overlap by chance only.
    """

    SIZE = 1 << 22
    CUTS = 4000  # about two hundred updates

    def __init__(self, rate: float):
        self.rate = rate
        self.pools: dict[torch.dtype, Tensor] = {}
        self.cuts = 0

    def stretch(self, like: Tensor) -> Tensor:
        """0 or 1/(1−rate), in the shape, type and place of `like`."""
        count = like.numel()
        self.cuts += 1
        if self.cuts == self.CUTS:
            self.pools, self.cuts = {}, 0
        pool = self.pools.get(like.dtype)
        if pool is None or count > len(pool):
            kept = torch.empty(max(self.SIZE, count), device=like.device).bernoulli_(1.0 - self.rate)
            self.pools[like.dtype] = pool = (kept / (1.0 - self.rate)).to(like.dtype)
        start = int(torch.randint(len(pool) - count + 1, ()))
        return pool[start: start + count].view(like.shape)


class Network(nn.Module):
    """Parameters by name, dense layers, and the tied output layer."""

    embedding = "Wemb"  # one matrix for source, target and output: tied-embeddings-all
    output_bias = ""    # name of the output layer's bias, set by each family

    def __init__(self, vocab_size: int, width: int, dropout: float):
        super().__init__()
        self.vocab_size = vocab_size
        self.dropout = dropout
        self.masks = Masks(dropout)
        # Variance 1/D: as input, scaled by sqrt(D), of the size of the position signal; as output matrix, logits near
        # one. Glorot's rule would count the vocabulary as inputs, and recurrent networks would then start slowly.
        self.add_matrix(self.embedding, vocab_size, width, gain=math.sqrt((vocab_size + width) / (2 * width)))

    # Parameters

    def add_matrix(self, name: str, rows: int, columns: int, gain: float = 1.0) -> None:
        bound = gain * math.sqrt(6.0 / (rows + columns))
        self.register_parameter(name, nn.Parameter(torch.empty(rows, columns).uniform_(-bound, bound)))

    def add_vector(self, name: str, size: int, value: float = 0.0) -> None:
        self.register_parameter(name, nn.Parameter(torch.full((1, size), value)))

    def at(self, name: str) -> Tensor:
        return self._parameters[name]

    # Layers

    def dense(self, x: Tensor, weight: str, bias: str | None = None) -> Tensor:
        """x·W + b: [..., in] → [..., out]."""
        return F.linear(x, self.at(weight).t(), self.at(bias).view(-1) if bias else None)

    def drop(self, x: Tensor) -> Tensor:
        """Dropout while training. The mask is a stretch of a large drawn one: drawing each afresh would take a
        quarter of a CPU's training time. A GPU draws in passing."""
        if not self.training or not self.dropout:
            return x
        if x.is_cuda:
            return F.dropout(x, self.dropout)
        return x * self.masks.stretch(x)

    def embed(self, ids: Tensor) -> Tensor:
        """[...] ids → [..., D], unscaled."""
        return F.embedding(ids, self.at(self.embedding))

    def shifted(self, target: Tensor) -> Tensor:
        """[B, T] target ids → [B, T, D] decoder inputs: a zero vector first, then each word but the last."""
        return F.pad(self.embed(target[:, :-1]), (0, 0, 1, 0))

    def logits(self, x: Tensor) -> Tensor:
        """[..., D] → [..., V] through the transposed embedding."""
        return F.linear(x, self.at(self.embedding), self.at(self.output_bias).view(-1))

    # What a family provides

    def encode(self, source: Tensor, mask: Tensor) -> dict[str, Tensor]:
        """[B, S] ids and mask → everything decoding needs, computed once; every tensor's first dimension is B."""
        raise NotImplementedError

    def decode(self, target: Tensor, memory: dict[str, Tensor]) -> Tensor:
        """Training: [B, T] target ids → [B, T, D] inputs of the output layer, all positions at once."""
        raise NotImplementedError

    def start(self, memory: dict[str, Tensor]) -> dict[str, Tensor]:
        """Search: the state before the first word; every tensor's first dimension is that of the memory."""
        raise NotImplementedError

    def step(self, previous: Tensor | None, time: int, state: dict[str, Tensor],
             memory: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        """Search: [R] previous ids (None at time 0) → [R, D] inputs of the output layer, and the next state."""
        raise NotImplementedError

    def clip_weights(self) -> None:
        """Called after each update; rnn-fc clips here."""


def layer_norm(x: Tensor, scale: Tensor, bias: Tensor | None, eps: float) -> Tensor:
    """Over the last dimension, with population variance."""
    return F.layer_norm(x, x.shape[-1:], scale.view(-1), bias.view(-1) if bias is not None else None, eps)


def rows_of(tensors: dict[str, Tensor], rows: Tensor) -> dict[str, Tensor]:
    """The named tensors with their first dimension re-ordered, repeated or thinned."""
    return {name: tensor.index_select(0, rows) for name, tensor in tensors.items()}
