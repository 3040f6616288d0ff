#!/usr/bin/env python3
"""Makes backends/gru/tests/goldens: tiny RNN models trained by Marian, and Marian's translations with them.

    pip install pymarian==1.12.42 sentencepiece==0.2.3
    ci/rnn-goldens.py                        train and decode all models that are kept
    ci/rnn-goldens.py --decode               decode again with the models that are there

The text is the literary set, testsets/captions-en-de. Training takes seconds, and the models are bad. The tests only ask
whether the same weights give the same text. All widths differ, so that no two dimensions can be confused. Some updates
with a high rate move every scale and bias away from its initial value; some models are shaken as well (shaken.py).
"""

import argparse
import io
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import sentencepiece as spm

import shaken

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDENS = ROOT / "backends/gru/tests/goldens"
TEXT = ROOT / "testsets/captions-en-de"

# Emb 16, state 24: everything Marian computes with appears in 4-wide SIMD, so both must divide by 4.
COMMON = "--dim-emb 16 --dim-rnn 24"
TIED = "--tied-embeddings-all"
LN = "--layer-normalization"

# Kept in the repository: each technique appears at least once with and once without layer normalisation.
KEPT = {
    "s2s-plain": "--type s2s",  # and two vocabularies
    "s2s-deep-ln": f"--type s2s {LN} {TIED} --skip --enc-depth 2 --enc-cell-depth 2 --dec-cell-base-depth 4 "
                   "--dec-depth 2 --dec-cell-high-depth 2",
    "s2s-alternating": "--type s2s --enc-type alternating --enc-depth 3 --skip --tied-embeddings",
    "s2s-bi-uni-ln": f"--type s2s {LN} {TIED} --enc-type bi-unidirectional --enc-depth 3 --enc-cell-depth 2 --skip",
    "lstm-plain": f"--type s2s {TIED} --enc-cell lstm --dec-cell lstm",
    "lstm-deep-ln": f"--type s2s {LN} --tied-embeddings-src --tied-embeddings --enc-cell lstm --dec-cell lstm --enc-depth 2 "
                    "--enc-type alternating --enc-cell-depth 2 --dec-cell-base-depth 3 --dec-depth 2",
    "mixed-bi-uni": f"--type s2s {TIED} --enc-cell lstm --dec-cell gru --enc-type bi-unidirectional --enc-depth 2 "
                    "--dec-depth 2",
    "s2s-nematus-cells-ln": f"--type s2s {LN} {TIED} --enc-cell gru-nematus --dec-cell gru-nematus --enc-cell-depth 2 "
                            "--dec-cell-base-depth 3 --dec-depth 2",
    "amun-plain": "--type amun",
    "amun-ln": f"--type amun {LN} {TIED}",
    "nematus-plain": "--type nematus --enc-cell gru-nematus --dec-cell gru-nematus --enc-cell-depth 2 "
                     "--dec-cell-base-depth 3",
    "nematus-ln": f"--type nematus {LN} --enc-cell gru-nematus --dec-cell gru-nematus --enc-cell-depth 3 "
                  "--dec-cell-base-depth 4 --tied-embeddings",
}
TWO_VOCABULARIES = {"s2s-plain"}
SHAKEN = {"nematus-ln", "nematus-plain"}  # they said next to nothing
LONGER = {"s2s-alternating": 250}  # so did this, shaken or not
BINARY = {"lstm-plain"}  # also as Marian's binary

# Said by nobody in the training text: empty, unknown letters, repeats, one letter, over-long.
ODD = ["", "Ωμέγα 日本語 ½", "a", "the the the the the the the", "  two   spaces  ", "!?", "0123456789 " * 3]


def marian(*arguments):
    command = [sys.executable, "-m", "pymarian", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr[-2000:]}")


def train_vocabularies(out):
    source, target = (TEXT / "source.en").read_text().splitlines(), (TEXT / "reference.de").read_text().splitlines()
    for name, lines, size in [("joint", source + target, 300), ("en", source, 240), ("de", target, 280)]:
        # Into memory: a model written to a path would keep that path inside.
        model = io.BytesIO()
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=model, vocab_size=size, bos_id=-1, eos_id=0, unk_id=1,
            normalization_rule_name="identity", minloglevel=2, num_threads=1)
        (out / f"{name}.spm").write_bytes(model.getvalue())


def write_input(out, count):
    lines = random.Random(1).sample((TEXT / "source.en").read_text().splitlines(), count)
    (out / "input.en").write_text("\n".join(lines + ODD + [" ".join(lines[:3])]) + "\n")


def write_shortlist(out):
    """Any list will do: what is tested is that both sides read it alike."""
    draw, pieces = random.Random(2), spm.SentencePieceProcessor(str(out / "joint.spm"))
    words = [pieces.id_to_piece(i) for i in range(2, len(pieces))]
    with open(out / "lex.s2t", "w") as file:
        for word in words:
            for target in draw.sample(words, 12):
                file.write(f"{target} {word} {draw.random():.4f}\n")


def train(folder, options, vocabularies, updates):
    with tempfile.TemporaryDirectory() as scratch:
        model = pathlib.Path(scratch) / "model.npz"
        marian("train", *COMMON.split(), *options.split(), "--vocabs", *vocabularies, "--train-sets", TEXT / "source.en",
               TEXT / "reference.de", "--model", model, "--cpu-threads", 1, "--seed", 1, "--after", f"{updates}u",
               "--mini-batch", 16, "--learn-rate", 0.02, "--cost-type", "ce-mean-words", "--max-length", 60,
               "--workspace", 128)
        shutil.copy(model, folder / "model.npz")


def write_decoder(folder, vocabularies):
    names = "\n".join(f"  - ../{path.name}" for path in vocabularies)
    (folder / "decoder.yml").write_text(f"relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n{names}\n")


def decode(out, folder, vocabularies):
    def run(name, *options):
        marian("decode", "--models", folder / "model.npz", "--vocabs", *vocabularies, "--cpu-threads", 1, "--mini-batch", 1,
               "--input", out / "input.en", "--output", folder / name, "--workspace", 128,
               *options)
    run("greedy.out", "--beam-size", 1)
    run("beam4.nbest", "--beam-size", 4, "--normalize", 0.6, "--n-best")
    if len(set(vocabularies)) == 1:
        run("greedy.shortlist.out", "--beam-size", 1, "--shortlist", out / "lex.s2t", 50, 50, 0)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--decode", action="store_true")
    arguments.add_argument("--out", type=pathlib.Path, default=GOLDENS)
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    out = given.out
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "joint.spm").exists():
        train_vocabularies(out)
    write_input(out, 25)
    write_shortlist(out)
    for name, options in KEPT.items():
        if given.only not in name:
            continue
        folder = out / name
        folder.mkdir(exist_ok=True)
        languages = ["en", "de"] if name in TWO_VOCABULARIES else ["joint", "joint"]
        vocabularies = [out / f"{language}.spm" for language in languages]
        if not given.decode:
            train(folder, options, vocabularies, LONGER.get(name, 70))
            if name in SHAKEN:
                shaken.shake(folder / "model.npz")
            if name in BINARY:
                marian("convert", "-f", folder / "model.npz", "-t", folder / "model.f32.bin")
        decode(out, folder, vocabularies)
        shaken.check_variety((folder / "greedy.out").read_text().splitlines())
        write_decoder(folder, vocabularies)  # last: with it the folder counts as complete
        print(name, flush=True)


if __name__ == "__main__":
    main()
