"""Writes a shipped translator as the files of Firefox Translations.

    firefox.py MODEL_DIRECTORY FOLDER [CALIBRATED_DIRECTORY]

Runs where numpy and yaml are. Products are in int8, and each has a scale of its inputs. Quality needs measured scales,
which `dyno convert --calibrate` puts into the calibrated directory. Without it one scale serves all.
"""

import shutil
import struct
import sys
import tomllib
from pathlib import Path

import numpy as np
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ci/peers"))

from shipped import DEFAULTS, VERSION, safetensors, widest  # noqa: E402

# Types of Marian's binary files, in the numbering of Firefox's fork.
INT8, FLOAT, INTGEMM = 0x101, 0x404, 0x4101
# Scale of the inputs of products that were not measured: values beyond ±8 are cut.
INPUTS = 127 / 8
# Name of the scale of the output layer's inputs, whose weights are the embeddings.
OUTPUT = "none_QuantMultA"
ALIGNMENT = 256


def is_product(name):
    return name.endswith("_W") or name[-3:-1] == "_W"


def quantised(array):
    """Numbers in int8, then the scale that made them."""
    scale = 127 / np.abs(array).max()
    return np.clip(np.rint(array * scale), -127, 127).astype(np.int8).tobytes() + struct.pack("<f", scale)


def measured(calibrated):
    """Scales of a calibrated directory by their names."""
    arrays = safetensors(calibrated / "weights.int8.safetensors")
    return {name: array.item() for name, array in arrays if name.endswith("_QuantMultA")}


def items(arrays, options, scales):
    """Name, type, shape and bytes of each item."""
    text = yaml.safe_dump({"version": VERSION, **options}).encode() + b"\0"
    yield "special:model.yml", INT8, (len(text),), text
    for name, array in arrays.items():
        array = array if array.ndim == 2 else array.reshape(1, -1)
        if is_product(name):
            yield name, INTGEMM, array.shape, quantised(array.T)
        elif name.endswith("Wemb"):
            yield name, INTGEMM, array.shape, quantised(array)
        else:
            yield name, FLOAT, array.shape, array.astype(np.float32).tobytes()
        if is_product(name) or name.endswith("Wemb"):
            of_inputs = scales.get(f"{name}_QuantMultA", scales.get(OUTPUT, INPUTS))
            yield f"{name}_QuantMultA", FLOAT, (1, 1), struct.pack("<f", of_inputs)
    yield OUTPUT, FLOAT, (1, 1), struct.pack("<f", scales.get(OUTPUT, INPUTS))


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def binary(all_items):
    """Marian's binary file: headers, names, shapes, padding, data."""
    heads, names, shapes, contents, count = b"", b"", b"", b"", 0
    for name, kind, shape, data in sorted(all_items):
        name, data = name.encode() + b"\0", padded(data)
        heads += struct.pack("<4Q", len(name), kind, len(shape), len(data))
        names, contents, count = names + name, contents + data, count + 1
        shapes += struct.pack(f"<{len(shape)}i", *shape)
    head = struct.pack("<QQ", 1, count) + heads + names + shapes
    gap = ((len(head) + 8) // ALIGNMENT + 1) * ALIGNMENT - len(head) - 8
    return head + struct.pack("<Q", gap) + bytes(gap) + contents


def main():
    source, made, *calibrated = map(Path, sys.argv[1:])
    options = DEFAULTS | tomllib.loads((source / "model.toml").read_text(encoding="utf-8"))["marian"]
    scales = measured(calibrated[0]) if calibrated else {}
    made.mkdir()
    weights = dict(safetensors(widest(source)))
    (made / "model.intgemm.alphas.bin").write_bytes(binary(items(weights, options, scales)))
    shutil.copyfile(source / "vocab.spm", made / "vocab.spm")
    shutil.copyfile(source / "shortlist.bin", made / "lex.s2t.bin")


main()
