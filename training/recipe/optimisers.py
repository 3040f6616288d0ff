"""The optimisers of a run, behind one switch: Adam for all parameters, or Muon for the layers' matrices.

Muon steps along the orthogonalised momentum, so that every direction of a matrix moves alike; Adam keeps the
embedding, the vectors and whatever else is no matrix between two layers. Muon's steps are scaled to Adam's usual size, so
one learning rate serves both.
"""

import torch

from recipe.models.network import Network


class Optimisers:
    def __init__(self, network: Network, kind: str):
        named = dict(network.named_parameters())
        inner = [p for name, p in named.items() if kind == "muon" and name != network.embedding and min(p.shape) > 1]
        rest = [p for p in named.values() if not any(p is other for other in inner)]
        # (0.9, 0.98) and 1e-9 as in the Transformer's own recipe.
        self.all = [torch.optim.Adam(rest, lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)]
        if inner:
            self.all.append(torch.optim.Muon(inner, lr=0.0, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"))

    def step(self, learning_rate: float) -> None:
        for optimiser in self.all:
            for group in optimiser.param_groups:
                group["lr"] = learning_rate
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)

    def state(self) -> list[dict]:
        return [optimiser.state_dict() for optimiser in self.all]

    def resume(self, states: list[dict]) -> None:
        for optimiser, state in zip(self.all, states, strict=True):
            optimiser.load_state_dict(state)
