"""Marian's `s2s`: a bidirectional GRU encoder and a GRU decoder with attention between its two cells.

Encoder: a forward and a backward stack, each `enc-depth` deep, tops joined to H_j of width C = 2S. Decoder, depth 1:
    s1 = cell1(emb(y_{t−1}), s)            e_j = tanh(H_j·Wc_att + b_att + s1·W_comb_att)·U_att
    c = Σ softmax(e)_j H_j                 s' = cell2(c, s1)
    o = tanh(emb·W0 + b0 + s'·W1 + b1 + c·W2 + b2)
from s = tanh(mean(H)·W + b). With layer normalisation every product above is normalised on its own, with a scale.
What our model doesn't use is refused: LSTM, other encoder types, skip, transition cells, decoder depth.
"""

import torch
from torch import Tensor

from recipe import fused
from recipe.models.network import Network, layer_norm
from recipe.models.recurrent import EPS, Gru, masked_mean

REQUIRED = {"enc-type": "bidirectional", "enc-cell": "gru", "dec-cell": "gru", "enc-cell-depth": 1, "dec-depth": 1,
            "dec-cell-base-depth": 2, "skip": False, "tied-embeddings-all": True}
MASKED = -1e8  # added to the attention energies of padding


class S2S(Network):
    output_bias = "decoder_ff_logit_l2_b"

    def __init__(self, marian: dict, vocab_size: int, dropout: float):
        for key, value in REQUIRED.items():
            if marian.get(key) != value:
                raise ValueError(f"s2s here needs {key} = {value}, not {marian.get(key)}")
        width, self.state_width = marian["dim-emb"], marian["dim-rnn"]
        super().__init__(vocab_size, width, dropout)
        self.width, self.norm = width, marian.get("layer-normalization", False)
        states, context = self.state_width, 2 * self.state_width
        self.forward_cells = self._stack("encoder_bi", marian["enc-depth"])
        self.backward_cells = self._stack("encoder_bi_r", marian["enc-depth"])
        self.cell1 = Gru(self, "decoder_cell1", width, states, self.norm)
        self.cell2 = Gru(self, "decoder_cell2", context, states, self.norm, final=True)
        self.add_matrix("decoder_W_comb_att", states, context)
        self.add_matrix("decoder_Wc_att", context, context)
        self.add_matrix("decoder_U_att", context, 1)
        self.add_vector("decoder_b_att", context)
        self.add_matrix("decoder_ff_state_W", context, states)
        self.add_vector("decoder_ff_state_b", states)
        for index, rows in enumerate((width, states, context)):
            self.add_matrix(f"decoder_ff_logit_l1_W{index}", rows, width)
            self.add_vector(f"decoder_ff_logit_l1_b{index}", width)
        self.add_vector(self.output_bias, vocab_size)
        if self.norm:
            self._add_scales(states, context)

    def _stack(self, prefix: str, depth: int) -> list[Gru]:
        """Layer 1 is called by the prefix alone, its inputs are embeddings; layer i > 1 is prefix_l{i}_cell1."""
        cells = [Gru(self, prefix, self.width, self.state_width, self.norm)]
        for layer in range(2, depth + 1):
            cells.append(Gru(self, f"{prefix}_l{layer}_cell1", self.state_width, self.state_width, self.norm))
        return cells

    def _add_scales(self, states: int, context: int) -> None:
        self.add_vector("decoder_att_gamma1", context, 1.0)
        self.add_vector("decoder_att_gamma2", context, 1.0)
        self.add_vector("decoder_ff_state_gamma", states, 1.0)
        for index in range(3):
            self.add_vector(f"decoder_ff_logit_l1_gamma{index}", self.width, 1.0)

    def _dense_norm(self, x: Tensor, prefix: str, number: str = "") -> Tensor:
        """x·W + b, or with layer normalisation LN(x·W)⊙gamma + b."""
        weight, bias = f"{prefix}_W{number}", f"{prefix}_b{number}"
        if not self.norm:
            return self.dense(x, weight, bias)
        return layer_norm(self.dense(x, weight), self.at(f"{prefix}_gamma{number}"), self.at(bias), EPS)

    def encode(self, source: Tensor, mask: Tensor) -> dict[str, Tensor]:
        embedded = self.drop(self.embed(source))  # [B, S, D]
        tops = []
        for cells, backward in ((self.forward_cells, False), (self.backward_cells, True)):
            x = embedded
            for cell in cells:
                x = self.drop(cell.scan(x, mask, backward))
            tops.append(x)
        states = torch.cat(tops, dim=-1)          # [B, S, C]
        if self.norm:
            keys = layer_norm(self.dense(states, "decoder_Wc_att"), self.at("decoder_att_gamma1"),
                              self.at("decoder_b_att"), EPS)
        else:
            keys = self.dense(states, "decoder_Wc_att", "decoder_b_att")
        start = torch.tanh(self._dense_norm(masked_mean(states, mask), "decoder_ff_state").float())
        bias = (1.0 - mask) * MASKED
        return {"states": states, "keys": keys, "bias": bias, "start": start}

    def _attend(self, state: Tensor, memory: dict[str, Tensor]) -> Tensor:
        """[R, S] → the context [R, C]."""
        query = self.dense(state, "decoder_W_comb_att")
        if self.norm:
            query = layer_norm(query, self.at("decoder_att_gamma2"), None, EPS)
        return fused.additive_attention(memory["keys"], query, self.at("decoder_U_att").view(-1), memory["bias"],
                                        memory["states"])

    def _advance(self, projected: Tensor, state: Tensor, memory: dict[str, Tensor], weights: tuple) -> tuple:
        """One target position from cell 1's projected input [R, 3S]: the next state [R, S] and the context [R, C]."""
        between = self.cell1.step(projected, state, weights[0])
        context = self._attend(between, memory)
        return self.cell2.step(self.cell2.project(context), between, weights[1]), context

    def _output(self, embedded: Tensor, states: Tensor, contexts: Tensor) -> Tensor:
        """[..., D], [..., S], [..., C] → [..., D], the deep output."""
        parts = [self._dense_norm(x, "decoder_ff_logit_l1", str(index))
                 for index, x in enumerate((embedded, states, contexts))]
        return self.drop(torch.tanh(parts[0] + parts[1] + parts[2]))

    def decode(self, target: Tensor, memory: dict[str, Tensor]) -> Tensor:
        embedded = self.drop(self.shifted(target))  # [B, T, D]
        weights = self.cell1.weights(), self.cell2.weights()
        state, states, contexts = memory["start"], [], []
        for projected in self.cell1.project(embedded).unbind(1):
            state, context = self._advance(projected, state, memory, weights)
            states.append(state)
            contexts.append(context)
        return self._output(embedded, self.drop(torch.stack(states, 1)), self.drop(torch.stack(contexts, 1)))

    def start(self, memory: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"state": memory["start"]}

    def step(self, previous, time, state, memory):
        rows = memory["start"].shape[0]
        embedded = self.at(self.embedding).new_zeros(rows, self.width) if previous is None else self.embed(previous)
        weights = self.cell1.weights(), self.cell2.weights()
        new, context = self._advance(self.cell1.project(embedded), state["state"], memory, weights)
        return self._output(embedded, new, context), {"state": new}
