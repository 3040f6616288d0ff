"""Label-smoothed cross-entropy whose backward pass re-uses the softmax of the forward pass.

Over a few thousand words the output layer is the largest tensor of a training step; the library's own function walks
it several times more than needed, and memory traffic is what a CPU has least of.
"""

import torch
from torch import Tensor

from recipe import fused


class _SmoothedCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits: Tensor, words: Tensor, smoothing: float) -> Tensor:
        """[N, V] logits (overwritten), [N] words → the summed loss in nats."""
        scores = logits.float()
        gold = scores.gather(1, words[:, None]).squeeze(1)
        mean = scores.mean(dim=1)
        shift = scores.amax(dim=1, keepdim=True)
        exponentials = scores.sub_(shift).exp_()
        totals = exponentials.sum(dim=1, keepdim=True)
        log_norm = (totals.log() + shift).squeeze(1)
        ctx.save_for_backward(exponentials.div_(totals), words)
        ctx.smoothing, ctx.dtype = smoothing, logits.dtype
        return (log_norm - (1.0 - smoothing) * gold - smoothing * mean).sum()

    @staticmethod
    def backward(ctx, grad: Tensor):
        gradient, words = ctx.saved_tensors
        gradient.sub_(ctx.smoothing / gradient.shape[1])
        gradient.scatter_add_(1, words[:, None], gradient.new_full((len(words), 1), ctx.smoothing - 1.0))
        return gradient.mul_(grad).to(ctx.dtype), None, None


def smoothed_cross_entropy(logits: Tensor, words: Tensor, smoothing: float) -> Tensor:
    """The mean over N of the loss against (1−ε)·one-hot + ε/V; differentiable once. On a CPU, float logits are used as
    scratch; on a GPU, positions without a word are passed over."""
    if logits.is_cuda:
        return fused.cross_entropy(logits, words, smoothing)
    return _SmoothedCrossEntropy.apply(logits, words, smoothing) / len(words)
