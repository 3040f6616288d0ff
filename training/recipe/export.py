"""Stage: a trained network as files for others: a model directory for dyno, and a Marian .npz where Marian has the
family. Parameters already carry Marian's names, so nothing is renamed.

    <out>/weights.f32.safetensors, model.toml, vocab.spm, and a shortlist of the work directory if there is one
    <out>.npz             only with --npz: what Marian itself decodes
Narrower precisions are made from this directory by `dyno convert`.
"""

import argparse
import hashlib
import shutil
from pathlib import Path

import numpy
from safetensors.numpy import save_file

from recipe import checkpoint
from recipe.config import FREQUENT
from recipe.files import Places

# Marian refuses a model file whose configuration lacks its version; any of its release names will do.
MARIAN_VERSION = "v1.12.42"

VOCABULARY, SHORTLIST = "vocab.spm", "shortlist.txt"
# The pieces without a text, which begin the vocabulary.
SPECIAL = 2


def arrays(weights: dict) -> dict[str, numpy.ndarray]:
    return {name: numpy.ascontiguousarray(tensor.float().numpy()) for name, tensor in sorted(weights.items())}


def yaml_of(marian: dict, vocab_size: int) -> str:
    """The flat YAML that Marian keeps inside its model files."""
    lines = [f"version: {MARIAN_VERSION}", f"dim-vocabs:\n  - {vocab_size}\n  - {vocab_size}"]
    lines += [f"{key}: {toml_value(value) if value != '' else chr(34) * 2}" for key, value in sorted(marian.items())]
    return "\n".join(lines) + "\n"


def write_npz(path: Path, marian: dict, vocab_size: int, weights: dict) -> None:
    if marian["type"] == "rnn-fc":
        raise ValueError("Marian has no rnn-fc; only the model directory can hold it")
    text = yaml_of(marian, vocab_size).encode("utf-8") + b"\0"
    numpy.savez(path, **{"special:model.yml": numpy.frombuffer(text, dtype=numpy.int8)}, **arrays(weights))


def toml_value(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


def identity(path: Path) -> str:
    return f'{{ bytes = {path.stat().st_size}, sha256 = "{hashlib.sha256(path.read_bytes()).hexdigest()}" }}'


def model_toml(marian: dict, vocab_size: int, languages: list[str], origin: Path, files: list[Path]) -> str:
    """The directory's description, as docs/FORMAT.md defines it. An rnn-fc keeps its keys in a table of its own."""
    configuration = dict(sorted(marian.items()))
    table = "rnn-fc" if configuration["type"] == "rnn-fc" else "marian"
    if table == "rnn-fc":
        del configuration["type"]
    lines = ["format = 1", f'languages = ["{languages[0]}", "{languages[1]}"]',
             'precision = "f32"',
             f'vocabularies = ["{VOCABULARY}", "{VOCABULARY}"]']
    if any(path.name == SHORTLIST for path in files):
        lines.append(f'shortlist = {{ file = "{SHORTLIST}", first = {SPECIAL}, best = {FREQUENT}, threshold = 0.0 }}')
    lines += ["", "[origin]", f'"{origin.name}" = {identity(origin)}', "", "[files]"]
    lines += [f'"{path.name}" = {identity(path)}' for path in sorted(files)]
    lines += ["", f"[{table}]", f"dim-vocabs = [{vocab_size}, {vocab_size}]"]
    lines += [f"{key} = {toml_value(value)}" for key, value in configuration.items()]
    # Small networks fall into loops; nothing that people write stands four times in a row.
    lines += ["", "[decoder]", "beam-size = 1", "most-repeats = 3"]
    return "\n".join(lines) + "\n"


def export(places: Places, weights_path: Path, out: Path, languages: list[str], shortlist: str, npz: bool) -> None:
    """`shortlist` names a product; without a name the directory gets none."""
    content = checkpoint.load(weights_path)
    marian, vocab_size = content["marian"], content["vocab_size"]
    out.mkdir(parents=True, exist_ok=True)
    files = [out / "weights.f32.safetensors"]
    save_file(arrays(content["weights"]), files[0], {"format": "dyno-1", "precision": "f32"})
    for product, name in (("vocab.model", VOCABULARY), (shortlist, SHORTLIST)):
        if product and (places.work / product).exists():
            files.append(out / name)
            shutil.copyfile(places.work / product, files[-1])
    text = model_toml(marian, vocab_size, languages, weights_path, files)
    (out / "model.toml").write_text(text, encoding="utf-8")
    if npz:
        write_npz(out.with_suffix(".npz"), marian, vocab_size, content["weights"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("weights", type=Path, help="weights in the work directory, such as gru/average.pt")
    parser.add_argument("out", type=Path)
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="de")
    parser.add_argument("--shortlist", default="lex.s2t", help="a product of the stages align (lex.s2t) or vmap (vmap.txt)")
    parser.add_argument("--npz", action="store_true")
    options = parser.parse_args()
    places = Places.of(options)
    export(places, places.work / options.weights, options.out, [options.source, options.target], options.shortlist,
           options.npz)


if __name__ == "__main__":
    main()
