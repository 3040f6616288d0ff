#!/usr/bin/env python3
"""Makes the small files in backends/formats/tests/goldens, and expected.json, which lists their content.

Other programs make everything that dyno-formats reads: numpy (npz), the safetensors package, and Marian (bin and binary
shortlist, by `convert` of its Python package). numpy and plain Python compute a second time what dyno-formats computes:
dequantised and quantised values, shortlists and selections.

    pip install numpy==2.4.6 safetensors==0.8.0 pymarian==1.12.42
    python3 ci/formats-goldens.py

The same packages give the same files, except for the padding of Marian's bins, which is uninitialised memory. `foreign_bin`
builds by hand the two byte-level forms that no package writes: the fork's numbering of intgemm types, and unpadded items.
"""

import io
import json
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

HERE = Path(__file__).resolve().parent.parent / "backends/formats/tests/goldens"

MODEL_YML = """\
dec-cell: ssru
dec-depth: 1
dim-emb: 8
dim-vocabs:
  - 24
  - 24
enc-depth: 1
tied-embeddings-all: true
transformer-decoder-autoreg: rnn
transformer-dim-ffn: 16
transformer-ffn-activation: relu
transformer-guided-alignment-layer: last
transformer-heads: 2
transformer-preprocess: ""
type: transformer
version: v1.12.42 tiny
"""

VOCABULARY = "</s> <unk> a b c d e f g h i j k l m n o p q r s t u v".split()


def tensors():
    """A model's worth of shapes; Marian quantises matrices with rows % 64 == 0 and columns % 8 == 0."""
    random = np.random.default_rng(20261121)
    draw = lambda *shape: random.normal(0, 0.3, shape).astype(np.float32)
    return {
        "Wemb": draw(24, 8),
        "decoder_ff_logit_out_b": draw(1, 24),
        "decoder_l1_rnn_W": draw(64, 16),  # with 8 columns Marian transposes wrongly
        "decoder_l1_rnn_bf": draw(1, 16),
        "encoder_l1_ffn_W1": draw(64, 16),
        "encoder_l1_ffn_ffn_ln_scale": draw(1, 16),
    }


def with_config(arrays):
    text = MODEL_YML.encode() + b"\0"
    padded = text + b"\0" * (-len(text) % 256)
    return {**arrays, "special:model.yml": np.frombuffer(padded, np.int8)}


class Pipe(io.RawIOBase):
    """Where zipfile can't seek, it writes data descriptors."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def writable(self):
        return True

    def seekable(self):
        return False

    def write(self, data):
        return self.file.write(data)


def archives(arrays):
    """As numpy writes (zip64 in the local headers), as Marian's cnpy writes (without), and into a pipe."""
    np.savez(HERE / "tiny.npz", **arrays)
    np.savez_compressed(HERE / "deflated.npz", **{"Wemb": arrays["Wemb"]})
    np.savez(HERE / "fortran.npz", Wemb=np.asfortranarray(arrays["Wemb"]))
    with zipfile.ZipFile(HERE / "tiny.plain.npz", "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            archive.writestr(zipfile.ZipInfo(name + ".npy"), buffer.getvalue())
    pipe = Pipe(HERE / "tiny.piped.npz")
    np.savez(pipe, **arrays)
    pipe.file.close()


def typed():
    """Every type that has a use, a scalar, an empty array and three dimensions."""
    return {
        "half": np.array([[1.5, -2.25, 65504.0, 6e-8]], np.float16),
        "byte": np.arange(-4, 4, dtype=np.int8).reshape(2, 2, 2),
        "word": np.array([-32768, 32767], np.int16),
        "long": np.array(7, np.int64),
        "double": np.array([0.1], np.float64),
        "octet": np.arange(5, dtype=np.uint8),
        "none": np.zeros((0,), np.float32),
        "single": np.arange(3, dtype=np.float32),
    }


def marian(*arguments):
    subprocess.run([sys.executable, "-m", "pymarian", "convert", *map(str, arguments)], check=True, capture_output=True)


def foreign_bin(path, arrays, code, unit):
    """As browsermt's fork numbers types: weights transposed, embeddings quantised and not; here without padding."""
    items = []
    for name, array in sorted(arrays.items()):
        kind, data = {"float32": 0x404, "int8": 0x101}[str(array.dtype)], array.tobytes()
        if "_W" in name or "Wemb" in name:
            multiplier = unit(array)
            limit = 127 if code == 0x4101 else 32767
            integers = np.clip(np.rint(array * multiplier), -limit, limit)
            integers = integers.astype(np.int8 if code == 0x4101 else np.int16)
            integers = integers if "Wemb" in name else integers.T
            kind, data = code, integers.tobytes() + struct.pack("<f", multiplier)
        items.append((name.encode() + b"\0", kind, array.shape, data))
    head = struct.pack("<QQ", 1, len(items))
    head += b"".join(struct.pack("<4Q", len(n), k, len(s), len(d)) for n, k, s, d in items)
    head += b"".join(n for n, _, _, _ in items)
    head += b"".join(struct.pack(f"<{len(s)}i", *s) for _, _, s, _ in items)
    offset = 256 - (len(head) + 8) % 256
    path.write_bytes(head + struct.pack("<Q", offset) + bytes(offset) + b"".join(d for *_, d in items))


def dequantised(path):
    """All values of a bin, by the format's description."""
    data, values = path.read_bytes(), {}
    (count,) = struct.unpack_from("<Q", data, 8)
    headers = [struct.unpack_from("<4Q", data, 16 + 32 * i) for i in range(count)]
    at, names, shapes = 16 + 32 * count, [], []
    for length, *_ in headers:
        names.append(data[at : at + length - 1].decode())
        at += length
    for _, _, dims, _ in headers:
        shapes.append(struct.unpack_from(f"<{dims}i", data, at))
        at += 4 * dims
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    for name, shape, (_, kind, _, length) in zip(names, shapes, headers):
        count = int(np.prod(shape))
        types = {0x404: "f4", 0x101: "i1", 0x4101: "i1", 0x10001: "i1", 0x4102: "i2", 0x10002: "i2"}
        array = np.frombuffer(data, "<" + types[kind], count, at)
        if kind > 0x404:
            (multiplier,) = struct.unpack_from("<f", data, at + array.nbytes)
            array = array.astype(np.float32) / np.float32(multiplier)
            array = array.reshape(shape) if "Wemb" in name else array.reshape(shape[::-1]).T
        if kind != 0x101:
            values[name] = listed(array.reshape(shape))
        at += length
    return values


def listed(array):
    return {"shape": list(array.shape), "values": [short(x) for x in array.astype(np.float32).ravel()]}


def short(number):
    """The shortest decimal that is read back as the same float32."""
    return float(str(np.float32(number)))


def lexical():
    """Pairs with ties at the cut, and a second list with everything odd."""
    random = np.random.default_rng(7)
    lines = []
    for source in VOCABULARY[2:20]:
        for target in random.permutation(VOCABULARY[2:])[:8]:
            lines.append(f"{target} {source} {random.integers(1, 6) / 8:f}")
    odd = [
        "a a 0.5", "b a 0.5", "c a 0.5", "d a 0.25",  # a tie at the cut: the larger ids stay
        "NULL b 0.9", "a NULL 0.9", "e b 0.1", "",  # lines that don't count
        "a b 0.1", "a b 0.4",  # the later one counts
        "zebra c 0.7", "yak c 0.05", "a c 0.06",  # unknown words are one word, and the later one counts
        "\ta  d \v 1e-1\r", "b d 0.1", "c okapi 1",
        "p e 0", "q e 0.04", "r e -1",
    ]
    (HERE / "lex.s2t").write_text("\n".join(lines) + "\n")
    (HERE / "lex.odd.s2t").write_text("\n".join(odd), newline="")
    (HERE / "vocab.yml").write_text("".join(f'"{word}": {i}\n' for i, word in enumerate(VOCABULARY)))
    marian("-s", HERE / "lex.s2t", 4, 3, 0, "-d", HERE / "lex.bin", "-V", HERE / "vocab.yml", HERE / "vocab.yml")


def shortlist(name, best, threshold):
    """Marian's LexicalShortlistGenerator, load and prune."""
    ids = {word: i for i, word in enumerate(VOCABULARY)}
    data = [dict() for _ in VOCABULARY]
    for line in (HERE / name).read_bytes().decode().split("\n"):
        fields = line.split()
        if not fields or "NULL" in fields[:2]:
            continue
        target, source, probability = fields
        data[ids.get(source, 1)][ids.get(target, 1)] = np.float32(probability)
    kept = []
    for pairs in data:
        order = sorted(((p, t) for t, p in pairs.items()), reverse=True)
        kept.append(sorted(t for p, t in order[:best] if p > np.float32(threshold)))
    return kept


def selected(kept, first, tokens, shared):
    """Marian's generate."""
    chosen = set(range(min(first, len(kept))))
    for token in tokens:
        chosen |= set(kept[token]) | ({token} if shared else set())
    filler = first
    while len(chosen) % 8 and filler < len(kept):
        chosen.add(filler)
        filler += 1
    return sorted(chosen)


def shortlists():
    cases = []
    for name, first, best, threshold in [
        ("lex.s2t", 4, 3, 0), ("lex.odd.s2t", 2, 2, 0), ("lex.odd.s2t", 3, 9, 0.05), ("lex.s2t", 100, 1, 0.3),
    ]:
        kept = shortlist(name, best, threshold)
        sentences = [[0], [2, 3, 0], [2, 4, 5, 6, 7, 0], list(range(2, 24)) + [0], []]
        selections = [
            {"tokens": tokens, "shared": shared, "ids": selected(kept, first, tokens, shared)}
            for tokens in sentences for shared in (False, True)
        ]
        cases.append({"file": name, "first": first, "best": best, "threshold": threshold, "kept": kept,
                      "selections": selections})
    return cases


def quantised():
    """Numbers at the edges of each rounding."""
    random = np.random.default_rng(3)
    edges = [0.0, -0.0, 1.0, -1.0, 65504.0, 65519.0, -65519.9, 2.0**-14, 2.0**-24, 2.0**-25, 2.0**-25 * 1.001, 3 * 2.0**-25,
             6.0e-5, 6.1e-5, 1.0 + 2.0**-11, 1.0 + 3 * 2.0**-11, 2049.0, 2051.0, 0.1, 1e-30, 1e-45]
    halves = np.array(edges + list(random.normal(0, 1, 200)) + list(random.normal(0, 1e-5, 200)), np.float32)
    weights = random.normal(0, 0.4, (12, 6)).astype(np.float32)
    weights[:, 2] = 0
    weights[0, 3], weights[1:, 3] = 127, np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 63.5, 64.5, -126.5, 126.5, 0])
    cases = {"halves": {"values": [short(x) for x in halves], "bits": [int(x) for x in halves.astype(np.float16).view(np.uint16)]}}
    for name, axis in [("columns", 0), ("rows", 1)]:
        largest = np.abs(weights).max(axis=axis, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            unit = np.where(largest > 0, np.float32(127) / largest, np.float32(0))
        integers = np.clip(np.rint(weights * unit), -127, 127).astype(int)
        scales = np.where(largest > 0, largest / np.float32(127), np.float32(1))
        cases[name] = {"weights": listed(weights), "integers": integers.ravel().tolist(),
                       "scales": [short(x) for x in scales.astype(np.float32).ravel()]}
    return cases


def main():
    HERE.mkdir(parents=True, exist_ok=True)
    arrays = with_config(tensors())
    archives(arrays)
    np.savez(HERE / "types.npz", **typed())
    bins = {"float32": "tiny.f32.bin", "intgemm8": "tiny.int8.bin", "intgemm16": "tiny.int16.bin",
            "intgemm8avx2": "tiled.bin", "packed8avx2": "packed.bin"}
    for kind, name in bins.items():
        marian("-f", HERE / "tiny.npz", "-t", HERE / name, "-g", kind)
    foreign_bin(HERE / "foreign.int8.bin", arrays, 0x4101, lambda w: np.float32(127) / np.abs(w).max())
    foreign_bin(HERE / "foreign.int16.bin", arrays, 0x4102, lambda w: np.float32(1024))
    save_file({**tensors(), **{k: v for k, v in typed().items() if k != "none"}}, HERE / "tiny.safetensors", {"made": "by the package"})
    scaled = {"W": np.arange(-6, 6, dtype=np.int8).reshape(4, 3), "W.scale": np.array([[0.5, 0.25, 2.0]], np.float32),
              "Wemb": np.arange(8, dtype=np.int16).reshape(4, 2), "Wemb.scale": np.array([[1], [2], [3], [4]], np.float32),
              "norm.scale": np.ones((1, 3), np.float32)}
    save_file(scaled, HERE / "scaled.safetensors")
    lexical()
    decoder = ["relative-paths: true", "models:\n  - tiny.npz", "vocabs:\n  - vocab.yml\n  - vocab.yml", "beam-size: 4",
               "normalize: 0.6", "word-penalty: 0", "mini-batch: 16", "max-length-factor: 2.5", "skip-cost: true",
               "shortlist:\n  - lex.s2t\n  - 4\n  - 3\n  - 0"]
    (HERE / "decoder.yml").write_text("# A decoder's configuration, with a comment.\n" + "\n".join(decoder) + "\n")
    expected = {
        "tensors": {name: listed(array) for name, array in tensors().items()},
        "typed": {name: {"shape": list(a.shape), "values": [float(x) for x in a.ravel()]} for name, a in typed().items()},
        "dequantised": {name: dequantised(HERE / name) for name in
                        ["tiny.int8.bin", "foreign.int8.bin"]},
        "shortlists": shortlists(),
        "quantised": quantised(),
    }
    (HERE / "expected.json").write_text(json.dumps(expected))


main()
