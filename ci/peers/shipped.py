"""Writes one shipped model in Marian's own forms, from its widest weights; runs in the peers' environment.

    shipped.py MODEL_DIRECTORY FOLDER

FOLDER then holds `model.npz`, what it was narrowed to, and the shortlist's text, if the model has one; a self-attention model also becomes
CTranslate2's `ct2/`.
"""

import json
import os
import sys
import tomllib
from pathlib import Path

import numpy as np
import sentencepiece
import yaml

from models import for_ctranslate2, marian

# Marian refuses a file whose configuration lacks a version; any release's will do.
VERSION = "v1.12.42"
# Marian's own defaults, which CTranslate2's converter wants told.
DEFAULTS = {
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "d",
    "transformer-no-projection": False,
    "transformer-guided-alignment-layer": "last",
}
TYPES = {"F16": np.float16, "F32": np.float32, "I8": np.int8}


PACKED = ".packed"


def in_rows(panels, rows, columns):
    """A packed matrix in rows: docs/FORMAT.md, Weights. Panels of 64 columns hold four rows by sixteen columns at a time."""
    matrix, start = np.empty((rows, columns), panels.dtype), 0
    for left in range(0, columns, 64):
        width = min(64, columns - left)
        panel = panels[start : start + rows * width].reshape(rows // 4, width // 16, 16, 4)
        matrix[:, left : left + width] = panel.transpose(0, 3, 1, 2).reshape(rows, width)
        start += rows * width
    return matrix


def safetensors(path):
    """Arrays by name, packed ones in rows, those in int8 widened by their scales. The form: eight bytes with the header's
    length, the header as JSON, the numbers."""
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    header.pop("__metadata__", None)

    def numbers(name):
        entry = header[name]
        first, last = (end + offset for offset in entry["data_offsets"])
        flat, shape = np.frombuffer(content[first:last], TYPES[entry["dtype"]]), entry["shape"]
        return (in_rows(flat, *shape) if name.endswith(PACKED) else flat.reshape(shape)).astype(np.float32)

    for stored in header:
        name = stored.removesuffix(PACKED)
        if not name.endswith(".scale"):
            yield name, numbers(stored) * (numbers(f"{name}.scale") if f"{name}.scale" in header else 1)


def widest(model):
    """What it ships: f16, or int8 alone where it is there for a comparison."""
    return next(file for kind in ("f16", "int8") if (file := model / f"weights.{kind}.safetensors").is_file())


def lexicon(shortlist, vocabulary):
    """A binary shortlist as the text that it was made of, best first, the probabilities made up: Marian itself refuses the
    binary form where the last pieces have no translations. The form: six numbers, the offsets, the ids."""
    content = shortlist.read_bytes()
    words = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))
    count, ids = np.frombuffer(content, np.uint64, 2, 32)
    offsets = np.frombuffer(content, np.uint64, int(count), 48).astype(int)
    targets = np.frombuffer(content, np.uint32, int(ids), 48 + 8 * int(count))
    for source, (first, last) in enumerate(zip(offsets, offsets[1:])):
        for rank, target in enumerate(targets[first:last]):
            yield f"{words.id_to_piece(int(target))} {words.id_to_piece(source)} {1 / (rank + 2):.6f}\n"


def main():
    source, folder = map(Path, sys.argv[1:])
    os.environ["OMP_NUM_THREADS"] = "1"
    description = tomllib.loads((source / "model.toml").read_text(encoding="utf-8"))
    options = DEFAULTS | description["marian"] if description["marian"]["type"] == "transformer" else description["marian"]
    text = yaml.safe_dump({"version": VERSION, **options}).encode() + b"\0"
    arrays = dict(safetensors(widest(source)))
    np.savez(folder / "model.npz", **{"special:model.yml": np.frombuffer(text, np.int8)}, **arrays)
    if options["type"] == "transformer":  # Marian's int8 is for Transformers; it crashes on recurrent models
        for kind in ["intgemm8", "packed8avx512"]:
            marian("convert", "-f", folder / "model.npz", "-t", folder / f"model.{kind}.bin", "-g", kind)
    vocabulary, shortlist = source / "vocab.spm", source / "shortlist.bin"
    if shortlist.is_file():
        (folder / "lex.s2t").write_text("".join(lexicon(shortlist, vocabulary)), encoding="utf-8")
    if options.get("transformer-decoder-autoreg") == "self-attention":
        cut = [description["shortlist"][key] for key in ("first", "best")]
        for_ctranslate2(folder / "model.npz", vocabulary, folder / "lex.s2t", folder / "ct2", *cut)


if __name__ == "__main__":
    main()
