#!/usr/bin/env python3
"""Blocks of each format of ggml with their values by the package `gguf` 0.19 (PyPI).

Prints lines for backends/formats/tests/it/gguf/blocks.tsv: format, block and f32 values, the last two in
hexadecimal, little-endian. Two blocks a format, of seeded random bytes with finite scales.

    python3 ci/gguf-goldens.py > backends/formats/tests/it/gguf/blocks.tsv
"""

import numpy as np
from gguf.constants import GGMLQuantizationType as Type
from gguf.quants import dequantize

# Format: bytes of a block, and places of its scales in half precision.
FORMATS = {
    "F16": (2, [0]),
    "BF16": (2, [0]),
    "Q8_0": (34, [0]),
    "Q4_0": (18, [0]),
    "Q4_1": (20, [0, 2]),
    "Q4_K": (144, [0, 2]),
    "Q5_K": (176, [0, 2]),
    "Q6_K": (210, [208]),
    "Q5_0": (22, [0]),
    "Q5_1": (24, [0, 2]),
}

random = np.random.default_rng(7)
for name, (size, scales) in FORMATS.items():
    for _ in range(2):
        block = random.integers(0, 256, size, dtype=np.uint8)
        for at in scales:
            block[at : at + 2] = np.array([random.normal()], np.float16).view(np.uint8)
        values = dequantize(block, Type[name]).astype("<f4")
        print(name, block.tobytes().hex(), values.tobytes().hex(), sep="\t")
