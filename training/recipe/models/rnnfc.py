"""Devlin's RNN with stacked fully-connected layers ("Sharp Models on Dull Hardware", 2017, system S4), scaled down.

Marian has no such family, so this header is its definition. Vectors are rows, y = x·W + b; σ is the logistic function,
⊙ elementwise, relu10(v) = min(max(v, 0), 10). E = dim-emb, S = dim-source, C = 2S, R = dim-target, A = dim-attention,
F = dim-fc, V = vocabulary. Matrices of three gates have their columns in the order r, u, h.

Source, layers i = 1…source-depth, each a forward and a backward GRU over the whole of the layer below:
    in_j = Wemb[word_j] for i = 1 (no scaling, no positions), else [forward_j ; backward_j] of layer i−1
    r = σ(in·W_r + s·U_r + b_r)     z = σ(in·W_z + s·U_z + b_z)     h = tanh(in·Wx + r⊙(s·Ux) + bx)
    s ← (1−z)⊙h + z⊙s, from s = 0; backward runs from the last word (the EOS) to the first
    source_l{i}_forward_* and source_l{i}_backward_*:  W [in,2S] (r then z), Wx [in,S], U [S,2S], Ux [S,S],
    b [1,2S], bx [1,S];  in = E for i = 1, else C.   s_j = [forward_j ; backward_j] of the top layer.
Start:  h_0 = tanh(mean_j(s_j)·start_W + start_b)                              start_W [C,R], start_b [1,R]
Target step i, x_i = Wemb[word_{i−1}], the zero vector for i = 1:
    d_ij = tanh(h_{i−1}·attention_W + x_i·attention_Wx) · tanh(s_j·attention_U)   (a dot product over A)
    c_i = Σ_j softmax_j(d_ij) s_j                 attention_W [R,A], attention_Wx [E,A], attention_U [C,A]
    r = σ(h·W_r + x·Wx_r + c·U_r + b_r)            u likewise
    ĥ = tanh(r⊙(h·W_h) + x·Wx_h + c·U_h + b_h)     h_i = u⊙h_{i−1} + (1−u)⊙ĥ
                                                  target_W [R,3R], target_Wx [E,3R], target_U [C,3R], target_b [1,3R]
    f_1 = relu10(h_i·fc_W1 + fc_b1)               fc_W1 [R,F], fc_W{k} [F,F], fc_b{k} [1,F], k = 1…fc-depth
    f_k = relu10(f_{k−1}·fc_W{k} + fc_b{k} + (f_{k−2} for odd k ≥ 3))
    t = tanh(f_last·top_W + top_b)                top_W [F,E], top_b [1,E]
    logits = t·Wembᵀ + output_b                   Wemb [V,E], one for source, target and output; output_b [1,V]
All weights lie in [−1, 1]. An ensemble averages its members' log-probabilities.

Where this leaves the paper: biases in the fully-connected layers, and shared embeddings (so the top layer is E wide).
"""

import torch
from torch import Tensor

from recipe import fused
from recipe.models.network import Network
from recipe.models.recurrent import Gru, masked_mean

MASKED = -1e8          # added to the attention energies of padding
LARGEST_WEIGHT = 1.0   # with 10 fraction bits, 16-bit products then keep their precision (paper, 4.1)
LARGEST_ACTIVATION = 10.0


class RnnFc(Network):
    output_bias = "output_b"

    def __init__(self, marian: dict, vocab_size: int, dropout: float):
        self.width, self.source_width = marian["dim-emb"], marian["dim-source"]
        self.target_width, self.fc_depth = marian["dim-target"], marian["fc-depth"]
        super().__init__(vocab_size, self.width, dropout)
        context, target, fc = 2 * self.source_width, self.target_width, marian["dim-fc"]
        self.source_cells = self._source_cells(marian["source-depth"])
        self.add_matrix("start_W", context, target)
        self.add_vector("start_b", target)
        for name, rows in (("W", target), ("Wx", self.width), ("U", context)):
            self.add_matrix(f"attention_{name}", rows, marian["dim-attention"])
        for name, rows in (("W", target), ("Wx", self.width), ("U", context)):
            self.add_matrix(f"target_{name}", rows, 3 * target)
        self.add_vector("target_b", 3 * target)
        for layer in range(1, self.fc_depth + 1):
            self.add_matrix(f"fc_W{layer}", target if layer == 1 else fc, fc)
            self.add_vector(f"fc_b{layer}", fc)
        self.add_matrix("top_W", fc, self.width)
        self.add_vector("top_b", self.width)
        self.add_vector(self.output_bias, vocab_size)

    def _source_cells(self, depth: int) -> list[tuple[Gru, Gru]]:
        cells, inputs = [], self.width
        for layer in range(1, depth + 1):
            cells.append(tuple(Gru(self, f"source_l{layer}_{way}", inputs, self.source_width, norm=False)
                               for way in ("forward", "backward")))
            inputs = 2 * self.source_width
        return cells

    def clip_weights(self) -> None:
        with torch.no_grad():
            torch._foreach_clamp_min_(list(self.parameters()), -LARGEST_WEIGHT)
            torch._foreach_clamp_max_(list(self.parameters()), LARGEST_WEIGHT)

    def encode(self, source: Tensor, mask: Tensor) -> dict[str, Tensor]:
        x = self.drop(self.embed(source))  # [B, S, E]
        for ahead, back in self.source_cells:
            x = self.drop(torch.cat([ahead.scan(x, mask, False), back.scan(x, mask, True)], dim=-1))
        return {
            "states": x,                                              # [B, S, C]
            "keys": torch.tanh(self.dense(x, "attention_U")),        # [B, S, A]
            "parts": self.dense(x, "target_U"),                       # [B, S, 3R]: attention averages these
            "bias": (1.0 - mask) * MASKED,                            # [B, S]
            "start": torch.tanh(self.dense(masked_mean(x, mask), "start_W", "start_b").float()),
        }

    def _advance(self, query: Tensor, input_part: Tensor, state: Tensor, memory: dict[str, Tensor]) -> Tensor:
        """query [R, A] = x·attention_Wx, input_part [R, 3R] = x·target_Wx + b, state [R, R] → the next state."""
        # c·U as the average of s_j·U: the same product, done once per source word (paper, 4.3).
        given = fused.dot_attention(memory["keys"], query, self.dense(state, "attention_W"), memory["bias"],
                                    memory["parts"], input_part)
        return fused.devlin_state(given, self.dense(state, "target_W"), state)

    def _top(self, states: Tensor) -> Tensor:
        """[..., R] → [..., E] through the fully-connected stack."""
        before, x = None, states
        for layer in range(1, self.fc_depth + 1):
            out = self.dense(x, f"fc_W{layer}", f"fc_b{layer}")
            if layer >= 3 and layer % 2 == 1:
                out = out + before
            before, x = x, out.clamp(0.0, LARGEST_ACTIVATION)
        return torch.tanh(self.dense(self.drop(x), "top_W", "top_b"))

    def decode(self, target: Tensor, memory: dict[str, Tensor]) -> Tensor:
        x = self.drop(self.shifted(target))                           # [B, T, E]
        queries = self.dense(x, "attention_Wx").unbind(1)
        inputs = self.dense(x, "target_Wx", "target_b").unbind(1)
        state, states = memory["start"], []
        for query, given in zip(queries, inputs):
            state = self._advance(query, given, state, memory)
            states.append(state)
        return self._top(self.drop(torch.stack(states, dim=1)))

    def start(self, memory: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"state": memory["start"]}

    def step(self, previous, time, state, memory):
        rows = memory["start"].shape[0]
        x = self.at(self.embedding).new_zeros(rows, self.width) if previous is None else self.embed(previous)
        given = self.dense(x, "target_Wx", "target_b")
        new = self._advance(self.dense(x, "attention_Wx"), given, state["state"], memory)
        return self._top(new), {"state": new}
