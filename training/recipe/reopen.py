"""Stage: the weights of a shipped model, for a training that goes on from them (`start_from` in its TOML file).

    python -m recipe.reopen small --models ../models --dyno $DYNO      →  <work>/reopened/small.pt

What ships is int8 with a scale a row or column; the product of both loses nothing that the shipped model had.
"""

import argparse
import tempfile
import tomllib
from pathlib import Path

import numpy
import torch
from safetensors.numpy import load_file

from recipe import checkpoint
from recipe.engine import Engine
from recipe.files import Places

SCALE = ".scale"


def widened(tensors: dict[str, numpy.ndarray]) -> dict[str, torch.Tensor]:
    """Each tensor in float32, times its scale if it has one."""
    wide = {name: tensor.astype(numpy.float32) * tensors.get(name + SCALE, numpy.float32(1))
            for name, tensor in tensors.items() if not name.endswith(SCALE)}
    return {name: torch.from_numpy(numpy.ascontiguousarray(tensor)) for name, tensor in wide.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("name", help="the model")
    parser.add_argument("--dyno", type=Path, required=True, help="the binary")
    parser.add_argument("--models", type=Path, required=True, help="directory of models")
    options = parser.parse_args()
    places = Places.of(options)
    config = tomllib.loads((Path(__file__).parent.parent / "configs" / f"{options.name}.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        flat = Path(folder) / options.name
        Engine(options.dyno, [options.models / options.name]).convert(flat, ["int8"], pack=False)
        weights = widened(load_file(flat / "weights.int8.safetensors"))
    checkpoint.save_weights(places.work / "reopened" / f"{options.name}.pt", config["marian"], len(weights["Wemb"]), weights)


if __name__ == "__main__":
    main()
