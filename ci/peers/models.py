"""Makes one row's model in the forms that its systems read; runs in the peers' environment.

    models.py ROW FOLDER VOCABULARY SHORTLIST

FOLDER then holds `model.npz`, `model.intgemm8.bin` and `model.packed8avx512.bin` for Marian and, for self-attention, `ct2/`.
"""

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

from rows import ROWS, TEXT

# So improbable that no sentence ends before its greatest length.
NEVER = -1e4
# Of the shortlist: the first pieces of the vocabulary, and the best of each source piece.
FIRST, BEST = 100, 100


def marian(*arguments):
    """Marian's command line, in a process of its own: it ends the process where it doesn't like something."""
    program = "import sys, _pymarian; sys.exit(_pymarian.main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"marian {' '.join(map(str, arguments))} failed:\n{done.stderr[-2000:]}")


def train(row, vocabulary, model):
    """One update on the starter set's lines, then the end of the sentence is made impossible."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        sets = [scratch / "source", scratch / "target"]
        for to, of in zip(sets, ["source.en", "reference.de"]):
            to.write_text("".join((TEXT / of).open(encoding="utf-8").readlines()[:64]), encoding="utf-8")
        options = [word for name, value in row.options.items() for word in (f"--{name}", str(value)) if word]
        marian("train", *options, "--model", scratch / "model.npz", "--train-sets", *sets, "--vocabs", vocabulary,
               vocabulary, "--dim-vocabs", 32000, 32000, "--mini-batch", 64, "--after", "1u", "--cpu-threads", 1,
               "--workspace", 1500, "--seed", 1, "--optimizer", "adam", "--learn-rate", 0.0003, "--quiet")
        arrays = dict(np.load(scratch / "model.npz"))
    bias = next(name for name in arrays if name.endswith(("logit_out_b", "logit_l2_b")))
    arrays[bias][0, 0] = NEVER  # </s> is word 0
    text = arrays["special:model.yml"]
    arrays["special:model.yml"] = text[: np.argmax(text == 0) + 1]  # without its padding, which only Marian expects
    np.savez(model, **arrays)


def vocabulary_map(pieces, shortlist, first, most):
    """The shortlist in CTranslate2's form: what is always a candidate, that is, the first pieces and what stands for the
    end that every line has; then the best candidates of each piece, at most so many."""
    best = defaultdict(list)
    with open(shortlist, encoding="utf-8") as file:
        for line in file:
            target, source, probability = line.rstrip("\n").split(" ")
            best[source].append((-float(probability), target))
    kept = {source: [target for _, target in sorted(targets)[:most]] for source, targets in best.items()}
    always = pieces[:first] + kept.pop(pieces[0], [])  # the end is word 0
    lines = ["\t" + " ".join(always)] + [f"{source}\t" + " ".join(targets) for source, targets in kept.items()]
    return "\n".join(lines) + "\n"


def positions(dim, num_positions=2048):
    """Marian's sinusoids: the exponent's divisor is dim/2 − 1, where CTranslate2's own converter has dim/2."""
    half = dim // 2
    angles = np.arange(num_positions)[:, None] * np.exp(np.arange(half) * -np.log(10000) / (half - 1))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def for_ctranslate2(model, vocabulary, shortlist, folder, first=FIRST, most=BEST):
    import ctranslate2.converters.marian as converter
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))
    pieces = [processor.id_to_piece(number) for number in range(len(processor))]
    converter.load_vocab = lambda _: pieces  # it knows YAML only
    converter._make_sinusoidal_position_encodings = positions
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.write(vocabulary_map(pieces, shortlist, first, most))
        file.flush()
        converter.MarianConverter(str(model), ["", ""]).convert(str(folder), vmap=file.name)


def main():
    name, folder, vocabulary, shortlist = sys.argv[1], *map(Path, sys.argv[2:])
    os.environ["OMP_NUM_THREADS"] = "1"
    row, model = ROWS[name], folder / "model.npz"
    train(row, vocabulary, model)
    for kind in ["intgemm8", "packed8avx512"]:
        marian("convert", "-f", model, "-t", folder / f"model.{kind}.bin", "-g", kind)
    if row.options.get("transformer-decoder-autoreg") == "self-attention":
        for_ctranslate2(model, vocabulary, shortlist, folder / "ct2")


if __name__ == "__main__":
    main()
