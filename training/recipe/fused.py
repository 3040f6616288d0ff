"""What stands between the networks' products, each as one function that is compiled on a GPU while training.

As they are, every addition, mask and norm here would be read and written on its own, in a launch of its own. A CPU, and
search, call the functions as they are. With these alone the first 100 updates of `teacher` took 36 s more on an H100 than
the next hundred; a whole network has ten times as many operations to compile.

N rows, D width, B sentences, S source positions, C context, H heads, V vocabulary.
"""

import functools

import torch
import torch.fx.experimental._config as shapes
import torch.nn.functional as F
from torch import Tensor

shapes.use_duck_shape = False  # two lengths that are equal in one batch differ in the next


def on_gpu(function):
    compiled = torch.compile(function)

    @functools.wraps(function)
    def chosen(first: Tensor, *rest):
        use = compiled if first.is_cuda and torch.is_grad_enabled() else function
        return use(first, *rest)
    return chosen


@on_gpu
def normed_sum(out: Tensor, residual: Tensor, scale: Tensor, bias: Tensor, eps: float, rate: float) -> Tensor:
    """Marian's "dan": dropout of [N, D], the residual added, layer norm. In the products' precision."""
    total = F.dropout(out, rate) + residual
    return F.layer_norm(total, total.shape[-1:], scale, bias, eps).to(out.dtype)


@on_gpu
def relu_dropped(x: Tensor, rate: float) -> Tensor:
    return F.dropout(torch.relu(x), rate)


@on_gpu
def attention_weights(scores: Tensor, bias: Tensor) -> Tensor:
    """[B, H, L, K] and what is 0 or very negative, broadcast over it → the softmax, in the scores' precision."""
    return torch.softmax((scores + bias).float(), dim=-1).to(scores.dtype)


@on_gpu
def cross_entropy(logits: Tensor, words: Tensor, smoothing: float) -> Tensor:
    """[N, V] logits, [N] words or NO_WORD → the mean."""
    return F.cross_entropy(logits.float(), words, label_smoothing=smoothing)


@on_gpu
def gru_state(projected: Tensor, recurrent: Tensor, bias: Tensor, state: Tensor, final: bool) -> Tensor:
    """[R, 3S] input's and state's products, [1, 3S], [R, S] → [R, S]; the equations stand in `recurrent.py`. The bias is
    float32, so under autocast the sums and with them the state are, too."""
    split = 2 * state.shape[1]
    reset, keep = torch.sigmoid(projected[:, :split] + recurrent[:, :split] + bias[:, :split]).chunk(2, dim=1)
    if final:
        new = torch.tanh(projected[:, split:] + reset * (recurrent[:, split:] + bias[:, split:]))
    else:
        new = torch.tanh(projected[:, split:] + reset * recurrent[:, split:] + bias[:, split:])
    return torch.lerp(new, state, keep)


@on_gpu
def additive_attention(keys: Tensor, query: Tensor, vector: Tensor, bias: Tensor, states: Tensor) -> Tensor:
    """[B, S, C], [B, C], [C], [B, S], [B, S, C] → the context [B, C]."""
    energies = torch.tanh(keys + query[:, None]) @ vector.to(keys.dtype)
    weights = torch.softmax(energies + bias, dim=-1)
    return torch.bmm(weights.to(states.dtype)[:, None], states).squeeze(1)


@on_gpu
def dot_attention(keys: Tensor, query: Tensor, product: Tensor, bias: Tensor, parts: Tensor, given: Tensor) -> Tensor:
    """[B, S, A] keys, two summands [B, A] of the query, [B, S], [B, S, 3R] → `given` [B, 3R] and the parts' mean."""
    energies = torch.bmm(keys, torch.tanh(query + product)[:, :, None]).squeeze(-1)
    weights = torch.softmax(energies + bias, dim=-1)
    # As products. A core of Zen 5 takes 4 ms for 267 sentences of 15 words, backwards too, and 13 for elementwise sums.
    return given + torch.bmm(weights.to(parts.dtype)[:, None], parts).squeeze(1)


@on_gpu
def devlin_state(given: Tensor, recurrent: Tensor, state: Tensor) -> Tensor:
    """[R, 3R] twice, [R, R] → the next state; the equations stand in `rnnfc.py`."""
    split = 2 * state.shape[1]
    reset, update = torch.sigmoid((given[:, :split] + recurrent[:, :split]).float()).chunk(2, dim=1)
    return torch.lerp(torch.tanh(given[:, split:].float() + reset * recurrent[:, split:]), state, update)
