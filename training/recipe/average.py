"""Stage: averages the weights of a run's last snapshots (ten, as HW-TSC does) into <work>/<name>/average.pt."""

import argparse

import torch

from recipe import checkpoint
from recipe.files import Places


def average(places: Places, name: str, count: int) -> None:
    paths = sorted((places.work / name / "snapshots").glob("*.pt"))[-count:]
    if not paths:
        raise FileNotFoundError(f"{name} has no snapshots to average")
    contents = [checkpoint.load(path) for path in paths]
    weights = {key: torch.stack([content["weights"][key] for content in contents]).mean(0)
               for key in contents[0]["weights"]}
    out = places.work / name / "average.pt"
    checkpoint.save_weights(out, contents[0]["marian"], contents[0]["vocab_size"], weights)
    print(f"{out}: average of {', '.join(path.stem for path in paths)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    Places.add_options(parser)
    parser.add_argument("name", help="the run, as in its TOML file")
    parser.add_argument("--count", type=int, default=checkpoint.SNAPSHOTS_KEPT)
    options = parser.parse_args()
    average(Places.of(options), options.name, options.count)


if __name__ == "__main__":
    main()
