"""What a training run leaves on disk, always whole: written beside and renamed.

    <work>/<name>/last.pt               everything a run needs to go on
    <work>/<name>/best.pt               the averaged weights with the best validation BLEU
    <work>/<name>/snapshots/<n>.pt      weights after n updates, the last ten
    <work>/<name>/final.pt              the averaged weights at the end of the run
"""

from pathlib import Path

import torch

from recipe.models import build
from recipe.models.network import Network

SNAPSHOTS_KEPT = 10


def save(path: Path, content: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    torch.save(content, partial)
    partial.replace(path)


def load(path: Path) -> dict:
    """Weights-only: a checkpoint is data, and must not be able to run code."""
    return torch.load(path, map_location="cpu", weights_only=True)


def save_weights(path: Path, marian: dict, vocab_size: int, weights: dict) -> None:
    save(path, {"marian": marian, "vocab_size": vocab_size, "weights": weights})


def open_network(path: Path) -> Network:
    content = load(path)
    network = build(content["marian"], content["vocab_size"])
    network.load_state_dict(content["weights"])
    return network.eval()


def snapshot(folder: Path, updates: int, marian: dict, vocab_size: int, weights: dict) -> None:
    save_weights(folder / f"{updates:07d}.pt", marian, vocab_size, weights)
    for old in sorted(folder.glob("*.pt"))[:-SNAPSHOTS_KEPT]:
        old.unlink()
