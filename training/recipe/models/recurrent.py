"""The GRU in Marian's form, over whole sequences and step by step; used by the s2s and rnn-fc families.

Reset-after: with xW = x·[W|Wx] and sU = s·[U|Ux], each 3S wide in the order r, z, h,
    r = σ(xW_r + sU_r + b_r)      z = σ(xW_z + sU_z + b_z)
    h = tanh(xW_h + r⊙sU_h + b_h)            ("final" cells: tanh(xW_h + r⊙(sU_h + b_h)))
    s' = (1−z)⊙h + z⊙s
With layer normalisation xW and sU are normalised first, each over its 3S, with a scale and no bias.
"""

import torch
from torch import Tensor

from recipe import fused
from recipe.models.network import Network, layer_norm

EPS = 1e-9  # layer normalisation in Marian's recurrent cells


class Gru:
    """One cell's parameters inside a network, under prefix q: q_W, q_Wx, q_U, q_Ux, q_b, q_bx (q_gamma1, q_gamma2)."""

    def __init__(self, network: Network, prefix: str, inputs: int, width: int, norm: bool, final: bool = False):
        self.network, self.prefix, self.width, self.norm, self.final = network, prefix, width, norm, final
        # Marian draws the two parts as one matrix of 3S columns; the gain gives W, Wx the same range here.
        for name, rows in (("W", inputs), ("U", width)):
            gain = ((rows + 2 * width) / (rows + 3 * width)) ** 0.5
            network.add_matrix(f"{prefix}_{name}", rows, 2 * width, gain)
            gain = ((rows + width) / (rows + 3 * width)) ** 0.5
            network.add_matrix(f"{prefix}_{name}x", rows, width, gain)
        network.add_vector(f"{prefix}_b", 2 * width)
        network.add_vector(f"{prefix}_bx", width)
        if norm:
            network.add_vector(f"{prefix}_gamma1", 3 * width, 1.0)
            network.add_vector(f"{prefix}_gamma2", 3 * width, 1.0)

    def at(self, name: str) -> Tensor:
        return self.network.at(f"{self.prefix}_{name}")

    def weights(self) -> tuple[Tensor, Tensor]:
        """[S, 3S] state matrix and [1, 3S] bias: joined once per sequence, not per step."""
        return torch.cat([self.at("U"), self.at("Ux")], dim=1), torch.cat([self.at("b"), self.at("bx")], dim=1)

    def project(self, x: Tensor) -> Tensor:
        """[..., in] → [..., 3S]: the input's part, for all positions at once."""
        projected = x @ torch.cat([self.at("W"), self.at("Wx")], dim=1)
        return layer_norm(projected, self.at("gamma1"), None, EPS) if self.norm else projected

    def step(self, projected: Tensor, state: Tensor, weights: tuple[Tensor, Tensor]) -> Tensor:
        """[R, 3S] projected input, [R, S] state → [R, S] next state."""
        matrix, bias = weights
        recurrent = state @ matrix
        if self.norm:
            recurrent = layer_norm(recurrent, self.at("gamma2"), None, EPS)
        return fused.gru_state(projected, recurrent, bias, state, self.final)

    def scan(self, x: Tensor, mask: Tensor, backward: bool) -> Tensor:
        """[B, L, in], mask [B, L] → [B, L, S], from a zero state; padded positions leave the state as it is."""
        projected, weights = self.project(x), self.weights()
        state = torch.zeros(x.shape[0], self.width, device=x.device)
        masks = mask[:, :, None].unbind(1)
        inputs = projected.unbind(1)
        positions = range(len(inputs))
        states = [state] * len(inputs)
        for position in reversed(positions) if backward else positions:
            state = torch.lerp(state, self.step(inputs[position], state, weights), masks[position])
            states[position] = state
        return torch.stack(states, dim=1)


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    """[B, L, C] over the real positions → [B, C]."""
    weights = (mask / mask.sum(1, keepdim=True))[:, :, None].to(x.dtype)
    return (x * weights).sum(1)
