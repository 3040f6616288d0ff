#!/usr/bin/env python3
"""COMET as a worker of dyno: `worker.py --model FOLDER/checkpoints/model.ckpt`.

The checkpoint is a file and the encoder comes from the user's cache, so nothing is downloaded. Lines, batches and
precision are those of the command `comet-score --gpus 0` of the same version: from 2.2.5 on it computes in half
precision.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from worker import serve  # noqa: E402

# First version whose command halves the precision.
HALVES = (2, 2, 5)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="checkpoint of a COMET model")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--precision", choices=["half", "single"], help="default: that of comet-score")
    arguments = parser.parse_args()

    from importlib.metadata import version

    import comet
    import torch

    release = version("unbabel-comet")
    numbers = tuple(int(part) for part in release.split(".")[:3] if part.isdigit())
    precision = arguments.precision or ("half" if numbers >= HALVES else "single")
    torch.set_float32_matmul_precision("high")  # as comet-score does
    model = comet.load_from_checkpoint(arguments.model)
    model.eval()
    if precision == "half":
        model.half()
    needs_references = model.requires_references()

    def score(source, hypothesis, references):
        rows = [{"src": s.strip(), "mt": h.strip()} for s, h in zip(source, hypothesis)]
        if needs_references:
            for row, reference in zip(rows, references[0]):
                row["ref"] = reference.strip()
        told = model.predict(rows, batch_size=arguments.batch_size, gpus=0, progress_bar=False)
        return list(told.scores)

    signature = f"model:{fingerprint(arguments.model)}|device:cpu|precision:{precision}|batch:{arguments.batch_size}"
    serve(
        {
            "name": "COMET",
            "version": release,
            "direction": "higher",
            "range": [0, 1],
            "signature": signature,
            "references": needs_references,
        },
        score,
    )


def fingerprint(path):
    """First letters of the checkpoint's SHA-256: many models lie in files of one name."""
    import hashlib

    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


main()
