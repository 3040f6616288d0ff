"""Marian's post-norm Transformer with a decoder of self-attention, average attention (AAN) or SSRU.

Only what our models use is here, and anything else is refused: post-norm "dan", tied embeddings, sinusoidal
positions, feed-forward depth 2. The equations are Marian's to the letter (its positions divide by D/2−1, its first
target embedding is zero); the parity test holds them against Marian itself.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from recipe import fused
from recipe.models.network import Network, layer_norm

EPS = 1e-6        # layer normalisation in Marian's Transformer
MASKED = -1e8     # Marian's −99999999 for masked attention scores, as near as a 16-bit float of any kind needs
ACTIVATIONS = {"relu": F.relu, "swish": F.silu}


class Transformer(Network):
    output_bias = "decoder_ff_logit_out_b"

    def __init__(self, marian: dict, vocab_size: int, dropout: float):
        width = marian["dim-emb"]
        super().__init__(vocab_size, width, dropout)
        if marian.get("transformer-postprocess", "dan") != "dan" or marian.get("transformer-preprocess", ""):
            raise ValueError("only post-norm: transformer-postprocess dan, transformer-preprocess empty")
        self.width = width
        self.heads = marian.get("transformer-heads", 8)
        self.ffn_width = marian["transformer-dim-ffn"]
        self.activation = ACTIVATIONS[marian.get("transformer-ffn-activation", "swish")]
        self.encoder_layers = marian["enc-depth"]
        self.decoder_layers = marian["dec-depth"]
        self.kind = self._decoder_kind(marian)
        if self.kind == "aan":
            self._read_average_attention(marian)
        for layer in range(1, self.encoder_layers + 1):
            self._add_attention(f"encoder_l{layer}_self", layer)
            self._add_ffn(f"encoder_l{layer}_ffn", layer)
        for layer in range(1, self.decoder_layers + 1):
            self._add_autoregression(f"decoder_l{layer}", layer)
            self._add_attention(f"decoder_l{layer}_context", layer)
            self._add_ffn(f"decoder_l{layer}_ffn", layer)
        self.add_vector(self.output_bias, vocab_size)

    # Parameters. The gain 1/sqrt(layer) is Marian's depth scaling: deep post-norm stacks start calmer with it.

    @staticmethod
    def _decoder_kind(marian: dict) -> str:
        kind = marian.get("transformer-decoder-autoreg", "self-attention")
        if kind == "rnn" and marian.get("dec-cell") != "ssru":
            raise ValueError("transformer-decoder-autoreg rnn needs dec-cell ssru")
        return {"self-attention": "self", "average-attention": "aan", "rnn": "ssru"}[kind]

    def _read_average_attention(self, marian: dict) -> None:
        self.aan_width = marian.get("transformer-dim-aan", 2048)
        self.aan_depth = marian.get("transformer-aan-depth", 2)
        self.aan_gate = not marian.get("transformer-aan-nogate", False)
        self.aan_activation = ACTIVATIONS[marian.get("transformer-aan-activation", "swish")]

    def _add_norm(self, prefix: str) -> None:
        self.add_vector(f"{prefix}_ln_scale", self.width, 1.0)
        self.add_vector(f"{prefix}_ln_bias", self.width)

    def _add_dense(self, prefix: str, name: str, rows: int, columns: int, layer: int) -> None:
        self.add_matrix(f"{prefix}_W{name}", rows, columns, 1.0 / math.sqrt(layer))
        self.add_vector(f"{prefix}_b{name}", columns)

    def _add_attention(self, prefix: str, layer: int) -> None:
        for name in "qkvo":
            self._add_dense(prefix, name, self.width, self.width, layer)
        self._add_norm(f"{prefix}_Wo")

    def _add_ffn(self, prefix: str, layer: int) -> None:
        self._add_dense(prefix, "1", self.width, self.ffn_width, layer)
        self._add_dense(prefix, "2", self.ffn_width, self.width, layer)
        self._add_norm(f"{prefix}_ffn")

    def _add_autoregression(self, prefix: str, layer: int) -> None:
        if self.kind == "self":
            self._add_attention(f"{prefix}_self", layer)
        elif self.kind == "ssru":
            self.add_matrix(f"{prefix}_rnn_W", self.width, self.width, 1.0 / math.sqrt(layer))
            self._add_dense(f"{prefix}_rnn", "f", self.width, self.width, layer)
            self._add_norm(f"{prefix}_rnn_ffn")
        else:
            for index, (rows, columns) in enumerate(self._aan_shapes(), 1):
                self._add_dense(f"{prefix}_aan", str(index), rows, columns, layer)
            if self.aan_gate:
                self._add_dense(f"{prefix}_aan", "i", self.width, self.width, layer)
                self._add_dense(f"{prefix}_aan", "f", self.width, self.width, layer)
            self._add_norm(f"{prefix}_aan_ffn")

    def _aan_shapes(self) -> list[tuple[int, int]]:
        """Marian's loop: depth−1 activated layers to the AAN width, and a last one only if that is not D already."""
        shapes, width = [], self.width
        for _ in range(self.aan_depth - 1):
            shapes.append((width, self.aan_width))
            width = self.aan_width
        if width != self.width:
            shapes.append((width, self.width))
        return shapes

    # Sublayers

    def _norm(self, x: Tensor, prefix: str) -> Tensor:
        return layer_norm(x, self.at(f"{prefix}_ln_scale"), self.at(f"{prefix}_ln_bias"), EPS)

    def _post(self, out: Tensor, residual: Tensor, prefix: str) -> Tensor:
        """Marian's "dan": dropout, add the sublayer's input, normalise."""
        if out.is_cuda and self.training:
            norm = self.at(f"{prefix}_ln_scale").view(-1), self.at(f"{prefix}_ln_bias").view(-1)
            return fused.normed_sum(out, residual, *norm, EPS, self.dropout)
        return self._norm(self.drop(out) + residual, prefix)

    def _split(self, x: Tensor) -> Tensor:
        """[B, L, D] → [B, H, L, D/H]"""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def _keys(self, x: Tensor, prefix: str) -> Tensor:
        return self._split(self.dense(x, f"{prefix}_Wk", f"{prefix}_bk"))

    def _values(self, x: Tensor, prefix: str) -> Tensor:
        return self._split(self.dense(x, f"{prefix}_Wv", f"{prefix}_bv"))

    def _attend(self, x: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None, prefix: str) -> Tensor:
        """x [B, L, D]; keys, values [B, H, K, D/H]; bias, 0 or very negative, broadcast over [B, H, L, K]."""
        scale = 1.0 / math.sqrt(self.width // self.heads)
        queries = self._split(self.dense(x, f"{prefix}_Wq", f"{prefix}_bq") * scale)
        # Written out: for sentences this short the fused kernels' backward pass is several times slower.
        scores = queries @ keys.transpose(-1, -2)  # [B, H, L, K]
        weights = torch.softmax(scores, dim=-1) if bias is None else fused.attention_weights(scores, bias)
        mixed = weights.to(values.dtype) @ values
        out = self.dense(mixed.transpose(1, 2).flatten(2), f"{prefix}_Wo", f"{prefix}_bo")
        return self._post(out, x, f"{prefix}_Wo")

    def _ffn(self, x: Tensor, prefix: str) -> Tensor:
        inner = self.dense(x, f"{prefix}_W1", f"{prefix}_b1")
        if x.is_cuda and self.training and self.activation is F.relu:
            inner = fused.relu_dropped(inner, self.dropout)
        else:
            inner = self.drop(self.activation(inner))
        return self._post(self.dense(inner, f"{prefix}_W2", f"{prefix}_b2"), x, f"{prefix}_ffn")

    def _aan_top(self, average: Tensor, x: Tensor, prefix: str) -> Tensor:
        """From the average of the prefix: feed-forward, gate between it and the input, and the usual post-norm."""
        y = average
        shapes = self._aan_shapes()
        for index in range(1, len(shapes) + 1):
            y = self.dense(y, f"{prefix}_W{index}", f"{prefix}_b{index}")
            if index < self.aan_depth:
                y = self.aan_activation(y)
        if self.aan_gate:
            keep_input = torch.sigmoid(self.dense(x, f"{prefix}_Wi", f"{prefix}_bi"))
            keep_average = torch.sigmoid(self.dense(y, f"{prefix}_Wf", f"{prefix}_bf"))
            y = keep_input * x + keep_average * y
        return self._post(y, x, f"{prefix}_ffn")

    def _ssru_gates(self, x: Tensor, prefix: str) -> tuple[Tensor, Tensor]:
        return self.dense(x, f"{prefix}_W"), torch.sigmoid(self.dense(x, f"{prefix}_Wf", f"{prefix}_bf"))

    # The whole

    def _positions(self, first: int, count: int, device: torch.device) -> Tensor:
        """[count, D]: sines in the first half, cosines in the second; frequencies spaced with divisor D/2−1."""
        half = self.width // 2
        rates = torch.exp(torch.arange(half, device=device) * (-math.log(10000.0) / (half - 1)))
        angles = torch.arange(first, first + count, device=device)[:, None] * rates
        return torch.cat([angles.sin(), angles.cos()], dim=1)

    def _placed(self, embedded: Tensor, first: int) -> Tensor:
        """[B, L, D] embeddings of positions first.. → the stack's input."""
        scaled = math.sqrt(self.width) * embedded
        return self.drop(scaled + self._positions(first, embedded.shape[1], embedded.device))

    def encode(self, source: Tensor, mask: Tensor) -> dict[str, Tensor]:
        bias = ((1.0 - mask) * MASKED)[:, None, None, :]  # [B, 1, 1, S]
        x = self._placed(self.embed(source), 0)           # [B, S, D]
        if torch.is_autocast_enabled(x.device.type):
            x, bias = (t.to(torch.get_autocast_dtype(x.device.type)) for t in (x, bias))
        for layer in range(1, self.encoder_layers + 1):
            prefix = f"encoder_l{layer}_self"
            x = self._attend(x, self._keys(x, prefix), self._values(x, prefix), bias, prefix)
            x = self._ffn(x, f"encoder_l{layer}_ffn")
        memory = {"bias": bias}
        for layer in range(1, self.decoder_layers + 1):
            prefix = f"decoder_l{layer}_context"
            memory[f"keys{layer}"] = self._keys(x, prefix)
            memory[f"values{layer}"] = self._values(x, prefix)
        return memory

    def _decoder_rest(self, x: Tensor, layer: int, memory: dict[str, Tensor]) -> Tensor:
        prefix = f"decoder_l{layer}"
        keys, values = memory[f"keys{layer}"], memory[f"values{layer}"]
        x = self._attend(x, keys, values, memory["bias"], f"{prefix}_context")
        return self._ffn(x, f"{prefix}_ffn")

    def decode(self, target: Tensor, memory: dict[str, Tensor]) -> Tensor:
        x = self._placed(self.shifted(target), 0).to(memory["bias"].dtype)  # [B, T, D]
        length = x.shape[1]
        for layer in range(1, self.decoder_layers + 1):
            prefix = f"decoder_l{layer}"
            if self.kind == "self":
                future = torch.full((length, length), MASKED, dtype=x.dtype, device=x.device).triu(1)
                prefix += "_self"
                x = self._attend(x, self._keys(x, prefix), self._values(x, prefix), future[None, None], prefix)
            elif self.kind == "ssru":
                new, forget = self._ssru_gates(x, f"{prefix}_rnn")
                x = self._post(F.relu(ssru_scan(new, forget)), x, f"{prefix}_rnn_ffn")
            else:
                counts = torch.arange(1, length + 1, device=x.device)[:, None]
                average = (x.float().cumsum(1) / counts).to(x.dtype)
                x = self._aan_top(average, x, f"{prefix}_aan")
            x = self._decoder_rest(x, layer, memory)
        return x

    def start(self, memory: dict[str, Tensor]) -> dict[str, Tensor]:
        rows = memory["bias"].shape[0]
        shape = (rows, self.heads, 0, self.width // self.heads) if self.kind == "self" else (rows, self.width)
        names = ("keys", "values") if self.kind == "self" else ("cell",)
        empty = torch.zeros(shape, dtype=memory["keys1"].dtype, device=memory["bias"].device)
        return {f"{name}{layer}": empty for name in names for layer in range(1, self.decoder_layers + 1)}

    def step(self, previous, time, state, memory):
        rows = memory["bias"].shape[0]
        embedded = self.at(self.embedding).new_zeros(rows, self.width) if previous is None else self.embed(previous)
        x = self._placed(embedded[:, None], time).to(memory["bias"].dtype)  # [R, 1, D]
        after = {}
        for layer in range(1, self.decoder_layers + 1):
            x = self._step_autoregression(x, time, layer, state, after)
            x = self._decoder_rest(x, layer, memory)
        return x[:, 0], after

    def _step_autoregression(self, x: Tensor, time: int, layer: int, state: dict, after: dict) -> Tensor:
        """x [R, 1, D] → [R, 1, D]; puts the layer's next state into `after`."""
        prefix = f"decoder_l{layer}"
        if self.kind == "self":
            prefix += "_self"
            keys = torch.cat([state[f"keys{layer}"], self._keys(x, prefix)], dim=2)
            values = torch.cat([state[f"values{layer}"], self._values(x, prefix)], dim=2)
            after[f"keys{layer}"], after[f"values{layer}"] = keys, values
            return self._attend(x, keys, values, None, prefix)
        before = state[f"cell{layer}"]
        if self.kind == "ssru":
            new, forget = self._ssru_gates(x[:, 0], f"{prefix}_rnn")
            after[f"cell{layer}"] = cell = torch.lerp(new, before, forget)
            return self._post(F.relu(cell)[:, None], x, f"{prefix}_rnn_ffn")
        after[f"cell{layer}"] = average = (before * time + x[:, 0]) / (time + 1)
        return self._aan_top(average[:, None], x, f"{prefix}_aan")


def ssru_scan(new: Tensor, forget: Tensor) -> Tensor:
    """c_t = f_t⊙c_{t−1} + (1−f_t)⊙x_t from c = 0: [B, T, D] each → [B, T, D]."""
    cell = torch.zeros_like(new[:, 0])
    cells = []
    for x, f in zip(new.unbind(1), forget.unbind(1)):
        cell = torch.lerp(x, cell, f)
        cells.append(cell)
    return torch.stack(cells, dim=1)
