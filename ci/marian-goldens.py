#!/usr/bin/env python3
"""Makes the models in backends/*/tests/goldens/marian: Marian's option space, in models of 100 to 250 KB.

    pip install pymarian==1.12.42 sentencepiece==0.2.3
    ci/marian-goldens.py                      all of them, a few minutes on one core
    ci/marian-goldens.py pre-norm rms         those models alone

Marian trains each for a few updates on testsets/captions-en-de (public domain), far from good, but with weights
that matter, and then decodes `input.en` one line at a time: greedy, with a beam of 4 and its scores, and with a
shortlist. Training uses one thread and a fixed seed, but another machine's last bits may differ: whoever makes
models anew gets new outputs with them.
"""

import argparse
import collections
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "testsets/captions-en-de"

# Lines that a parser of lines gets wrong: none, unknown, odd spaces, long.
ODD = ["", "   ", "漢字 仮名", "a", "Zwei  Räume .", "dog " * 40, "ÄÖÜ ß 😀 xyz!?", "The toast is burnt. " * 4]

# Everything that models share unless they say otherwise.
BASE = {
    "type": "transformer", "dim-emb": 32, "transformer-dim-ffn": 64, "transformer-heads": 4,
    "enc-depth": 1, "dec-depth": 1, "tied-embeddings-all": "true",
}
SSRU = {"transformer-decoder-autoreg": "rnn", "dec-cell": "ssru", "transformer-ffn-activation": "relu"}
AAN = {"transformer-decoder-autoreg": "average-attention", "transformer-dim-aan": 48}
PRE = {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}
UNTIED = {"tied-embeddings-all": "false"}

# Engine -> model -> options.
MODELS = {
    "ssru": {
        "norms-projection": {**SSRU, "layer-normalization": "true", "transformer-rnn-projection": "true",
                             "dec-depth": 2},
        "pre-norm": {**SSRU, **PRE, **UNTIED, "tied-embeddings": "true", "enc-depth": 2},
        "tied-layers": {**SSRU, **UNTIED, "dec-depth": 3, "transformer-tied-layers": "1 2 1",
                        "transformer-decoder-dim-ffn": 48, "transformer-decoder-ffn-depth": 1,
                        "transformer-ffn-depth": 3},
    },
    "transformer-aan": {
        "pre-norm": {**PRE, "dec-depth": 2},
        "rms": {"transformer-preprocess": "r", "transformer-postprocess": "da",
                "transformer-postprocess-top": "r", "transformer-ffn-activation": "gelu"},
        "highway": {**UNTIED, "transformer-postprocess": "dhn", "tied-embeddings-src": "true"},
        "no-positions": {"transformer-disable-position-embeddings": "true", "transformer-no-projection": "true",
                         "output-omit-bias": "true", "transformer-ffn-activation": "relu"},
        "norm-everywhere": {"transformer-postprocess-emb": "dn", "transformer-postprocess-top": "an",
                            "transformer-ffn-depth": 1},
        "average-pre-norm": {**AAN, **PRE, "transformer-aan-depth": 3, "transformer-aan-activation": "relu"},
        "average-narrow": {**AAN, "transformer-dim-aan": 32, "dec-depth": 2,
                           "transformer-aan-nogate": "true"},
    },
}


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def make_shared(home):
    """Vocabulary, input and shortlist of one engine's folder. 304 pieces are a multiple of 8: Marian fills selections of
    a text shortlist up to one, beyond the vocabulary if need be, and crashes."""
    import sentencepiece as spm

    source, target = lines(DATA / "source.en"), lines(DATA / "reference.de")
    with tempfile.TemporaryDirectory() as scratch:
        text = Path(scratch, "text")
        text.write_text("\n".join(source + target) + "\n", encoding="utf-8")
        spm.SentencePieceTrainer.train(
            input=str(text), model_prefix=f"{scratch}/v", vocab_size=304, character_coverage=1.0,
            normalization_rule_name="identity", bos_id=-1, eos_id=0, unk_id=1, num_threads=1, minloglevel=2)
        shutil.copyfile(f"{scratch}/v.model", home / "vocab.spm")
    (home / "input.en").write_text("\n".join(source[::24] + ODD) + "\n", encoding="utf-8")
    pieces = spm.SentencePieceProcessor(model_file=str(home / "vocab.spm"))
    counts = collections.defaultdict(collections.Counter)
    for a, b in zip(source, target):
        for piece in pieces.encode(a, out_type=str):
            counts[piece].update(pieces.encode(b, out_type=str))
    with open(home / "lex.s2t", "w", encoding="utf-8") as file:
        # Marian reads beyond its table for a piece that comes after all in the list, so each piece is in it.
        for piece in sorted(pieces.id_to_piece(number) for number in range(len(pieces))):
            partners = counts[piece] or collections.Counter([piece])
            total = sum(partners.values())
            for partner, count in sorted(partners.items(), key=lambda item: (-item[1], item[0]))[:12]:
                file.write(f"{partner} {piece} {count / total:.6f}\n")


def marian(kind, options, input_path=None):
    """Runs Marian in a process of its own: it keeps state, and ends the process where it doesn't like something."""
    cli = " ".join(f"--{key} {value}".strip() for key, value in options.items())
    program = f"import sys, pymarian; m = pymarian.{kind}(sys.argv[1]); "
    program += "m.train()" if kind == "Trainer" else "print(m.translate(sys.stdin.read()), end='')"
    answer = subprocess.run([sys.executable, "-c", program, cli], capture_output=True, text=True,
                            stdin=open(input_path or os.devnull, encoding="utf-8"))
    if answer.returncode != 0:
        sys.exit(f"marian failed: {cli}\n{answer.stderr[-2000:]}")
    return answer.stdout


def train(home, model, options):
    vocab = home / "vocab.spm"
    with tempfile.TemporaryDirectory() as scratch:
        sets = [str(DATA / "source.en"), str(DATA / "reference.de")]
        marian("Trainer", {
            **BASE, "max-length": 100, **options, "model": f"{scratch}/model.npz", "train-sets": " ".join(sets),
            "vocabs": f"{vocab} {vocab}", "dim-vocabs": "304 304", "mini-batch": 32, "maxi-batch": 10,
            "learn-rate": 0.01, "after": "60u", "disp-freq": 200, "save-freq": 100000, "cpu-threads": 1,
            "workspace": 300, "seed": 1, "optimizer": "adam", "cost-type": "ce-mean-words",
            "clip-norm": 1, "quiet": "",
        })
        model.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(f"{scratch}/model.npz", model)


def decode(home, model):
    vocab = home / "vocab.spm"
    base = {"models": model, "vocabs": f"{vocab} {vocab}", "cpu-threads": 1, "mini-batch": 1, "quiet": ""}
    beam = {"beam-size": 4, "normalize": 0.6}
    for name, options in [
        ("greedy.out", {"beam-size": 1}),
        ("beam4.out", beam),
        ("beam4.nbest", {**beam, "n-best": ""}),
        ("greedy.shortlist.out", {"beam-size": 1, "shortlist": f"{home / 'lex.s2t'} 50 50 0"}),
    ]:
        text = marian("Translator", {**base, **options}, home / "input.en")
        answers = text.rstrip("\n").split("\n")
        if name.endswith(".out"):  # the last answers may be empty
            answers += [""] * (len(lines(home / "input.en")) - len(answers))
        (model.parent / name).write_text("\n".join(answers) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="names of models; all if absent")
    parser.add_argument("--decode-only", action="store_true", help="keep the models, ask Marian again")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    for engine, models in MODELS.items():
        home = ROOT / "backends" / engine / "tests/goldens/marian"
        home.mkdir(parents=True, exist_ok=True)
        if not arguments.models or not (home / "vocab.spm").exists():
            make_shared(home)
        for name, options in models.items():
            if arguments.models and name not in arguments.models:
                continue
            model = home / name / "model.npz"
            if not arguments.decode_only:
                train(home, model, options)
            decode(home, model)
            print(f"{engine}/{name}: {model.stat().st_size // 1024} KiB", flush=True)


if __name__ == "__main__":
    main()
