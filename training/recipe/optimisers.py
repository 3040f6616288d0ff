"""The optimisers of a run, behind one switch: Adam for all parameters, or Muon for the layers' matrices.

Muon (Jordan et al. 2024) steps along the orthogonalised momentum, so that every direction of a matrix moves alike; Adam
keeps the embedding, the vectors and whatever else is no matrix between two layers. Muon's steps are scaled to Adam's
usual size, so one learning rate serves both.
"""

import torch
from torch import Tensor

from recipe.models.network import Network

MOMENTUM = 0.95
# The quintic whose repetition takes all singular values near one, and how often; from Muon's description.
COEFFICIENTS, REPETITIONS = (3.4445, -4.7750, 2.0315), 5
ADAMS_SIZE = 0.2  # root mean square of Adam's steps, in learning rates (Liu et al. 2025)


class Muon:
    """As torch.optim.Muon, but with the matrices of one shape in one product: a GPU waits for hundreds of small ones."""

    def __init__(self, parameters: list[Tensor]):
        self.groups: dict[tuple, list[Tensor]] = {}
        for parameter in parameters:
            self.groups.setdefault(tuple(sorted(parameter.shape)), []).append(parameter)
        self.momenta = {shape: torch.zeros(len(group), *shape, device=group[0].device)
                        for shape, group in self.groups.items()}

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        for shape, group in self.groups.items():
            gradients = torch.stack([upright(p.grad) for p in group])        # [n, small side, large side]
            momentum = self.momenta[shape].lerp_(gradients, 1 - MOMENTUM)
            steps = orthogonal(gradients.lerp_(momentum, MOMENTUM))           # with Nesterov's look ahead
            size = learning_rate * ADAMS_SIZE * shape[1] ** 0.5
            torch._foreach_add_(group, [upright(step, p.shape) for step, p in zip(steps, group)], alpha=-size)
            for parameter in group:
                parameter.grad = None


def upright(matrix: Tensor, shape: torch.Size | None = None) -> Tensor:
    """The matrix lying, its smaller side first; or back in its own shape."""
    rows, columns = shape or matrix.shape
    return matrix.t() if rows > columns else matrix


def orthogonal(matrices: Tensor) -> Tensor:
    """[n, r, c] → the nearest matrices with all singular values about one, by Newton and Schulz's iteration."""
    a, b, c = COEFFICIENTS
    x = matrices.bfloat16()
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(REPETITIONS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.float()


class Optimisers:
    def __init__(self, network: Network, kind: str):
        named = dict(network.named_parameters())
        inner = [p for name, p in named.items() if kind == "muon" and name != network.embedding and min(p.shape) > 1]
        rest = [p for p in named.values() if not any(p is other for other in inner)]
        # (0.9, 0.98) and 1e-9 as in the Transformer's own recipe.
        self.adam = torch.optim.Adam(rest, lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)
        self.muon = Muon(inner)

    def step(self, learning_rate: float) -> None:
        for group in self.adam.param_groups:
            group["lr"] = learning_rate
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)
        self.muon.step(learning_rate)

    def state(self) -> dict:
        return {"adam": self.adam.state_dict(), "muon": list(self.muon.momenta.values())}

    def resume(self, state: dict) -> None:
        self.adam.load_state_dict(state["adam"])
        for momentum, saved in zip(self.muon.momenta.values(), state["muon"], strict=True):
            momentum.copy_(saved)
