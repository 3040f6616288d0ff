#!/usr/bin/env python3
"""Makes the models in backends/*/tests/goldens/marian, which cover Marian's options, in 100 to 250 KB each.

    pip install pymarian==1.12.42 sentencepiece==0.2.3
    ci/marian-goldens.py                      all of them, a few minutes on one core
    ci/marian-goldens.py pre-norm rms         those models alone

Marian trains each model for a few updates on the literary set, testsets/captions-en-de (public domain). The models are far
from good, but all their weights matter (shaken.py changes some). Then Marian decodes `input.en` one line at a time: greedy,
with a beam of 4 and its scores, and with a shortlist. There are also an ensemble, and integer weights as Marian stores
them. Training uses one thread and a fixed seed, but the last bits may differ on another machine. New models therefore
come with new outputs.
"""

import argparse
import collections
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

import shaken

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

def store_old_output(path):
    """The output layer as old versions stored it: [width, words], under another name. (With it and a shortlist Marian
    crashes, so that there is no such golden.)"""
    tensors = dict(numpy.load(path))
    tensors["decoder_ff_logit_out_W"] = numpy.ascontiguousarray(tensors.pop("decoder_ff_logit_out_Wt").T)
    numpy.savez(path, **tensors)


# What is done to a model after its training; no option of Marian's.
SHAKEN = {"then": shaken.shake}

# Engine -> model -> options.
MODELS = {
    "ssru": {
        "norms-projection": {**SSRU, "layer-normalization": "true", "transformer-rnn-projection": "true",
                             "dec-depth": 2, **SHAKEN},
        "pre-norm": {**SSRU, **PRE, **UNTIED, "tied-embeddings": "true", "enc-depth": 2},
        "tied-layers": {**SSRU, **UNTIED, "dec-depth": 3, "transformer-tied-layers": "1 2 1",
                        "transformer-decoder-dim-ffn": 48, "transformer-decoder-ffn-depth": 1,
                        "transformer-ffn-depth": 3, **SHAKEN},
        "guided-alignment": {**SSRU, "dec-depth": 2, "guided-alignment": True,
                             "transformer-guided-alignment-layer": 1},
    },
    "transformer-aan": {
        "pre-norm": {**PRE, "dec-depth": 2},
        "rms": {"transformer-preprocess": "r", "transformer-postprocess": "da",
                "transformer-postprocess-top": "r", "transformer-ffn-activation": "gelu"},
        "highway": {**UNTIED, "transformer-postprocess": "dhn", "tied-embeddings-src": "true"},
        "no-positions": {"transformer-disable-position-embeddings": "true", "transformer-no-projection": "true",
                         "output-omit-bias": "true", "transformer-ffn-activation": "relu"},
        "norm-everywhere": {**UNTIED, "transformer-postprocess-emb": "dn", "transformer-postprocess-top": "an",
                            "transformer-ffn-depth": 1, **SHAKEN},
        "sigmoid": {**AAN, "transformer-ffn-activation": "sigmoid", "transformer-aan-activation": "sigmoid", **SHAKEN},
        "old-output": {**UNTIED, "tied-embeddings-src": "true", "then": store_old_output},
        "average-pre-norm": {**AAN, **PRE, "transformer-aan-depth": 3, "transformer-aan-activation": "relu"},
        "average-narrow": {**AAN, "transformer-dim-aan": 32, "dec-depth": 2,
                           "transformer-aan-nogate": "true"},
    },
}

# Engine -> ensemble -> models and their weights.
ENSEMBLES = {"ssru": {"ensemble": {"tied-layers": 0.6, "norms-projection": 0.5}}}

# Engine -> model whose weights are stored as integers: intgemm wants widths that divide by 64.
INTEGERS = {"ssru": {"integers": {**SSRU, "dim-emb": 64, "transformer-no-projection": "true", **SHAKEN}}}


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


def write_alignment(home, path):
    """Word i to word i: what is learned doesn't matter, only that it is another model's configuration."""
    import sentencepiece as spm

    pieces = spm.SentencePieceProcessor(model_file=str(home / "vocab.spm"))
    counts = [[len(ids) for ids in pieces.encode(lines(DATA / name))] for name in ["source.en", "reference.de"]]
    text = "".join(" ".join(f"{i}-{i}" for i in range(min(pair))) + "\n" for pair in zip(*counts))
    path.write_text(text, encoding="utf-8")


def convert(model, to, kind):
    command = [sys.executable, "-m", "pymarian", "convert", "-f", model, "-t", to, "-g", kind]
    subprocess.run(command, check=True, capture_output=True)


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
    options = {**BASE, **options}
    then = options.pop("then", lambda path: None)
    with tempfile.TemporaryDirectory() as scratch:
        if "guided-alignment" in options:
            write_alignment(home, Path(scratch, "alignment"))
            options["guided-alignment"] = f"{scratch}/alignment"
        sets = [str(DATA / "source.en"), str(DATA / "reference.de")]
        marian("Trainer", {
            "max-length": 100, "learn-rate": 0.01, "after": "60u", **options, "model": f"{scratch}/model.npz", "train-sets": " ".join(sets),
            "vocabs": f"{vocab} {vocab}", "dim-vocabs": "304 304", "mini-batch": 32, "maxi-batch": 10,
            "disp-freq": 200, "save-freq": 100000, "cpu-threads": 1,
            "workspace": 300, "seed": 1, "optimizer": "adam", "cost-type": "ce-mean-words",
            "clip-norm": 1, "quiet": "",
        })
        then(f"{scratch}/model.npz")
        model.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(f"{scratch}/model.npz", model)


def answers(home, what, options):
    """What Marian answers to `input.en`; the last answers may be empty."""
    base = {"cpu-threads": 1, "mini-batch": 1, "quiet": ""}
    if what.suffix == ".yml":
        base["config"] = what
    else:
        base |= {"models": what, "vocabs": f"{home / 'vocab.spm'} {home / 'vocab.spm'}"}
    found = marian("Translator", {**base, **options}, home / "input.en").rstrip("\n").split("\n")
    if "n-best" not in options:
        found += [""] * (len(lines(home / "input.en")) - len(found))
    return found


def write(path, found):
    path.write_text("\n".join(found) + "\n", encoding="utf-8")


def decode(home, model, with_shortlist=True):
    beam = {"beam-size": 4, "normalize": 0.6}
    settings = {"greedy.out": {"beam-size": 1}, "beam4.out": beam, "beam4.nbest": {**beam, "n-best": ""}}
    if with_shortlist:
        settings["greedy.shortlist.out"] = {"beam-size": 1, "shortlist": f"{home / 'lex.s2t'} 50 50 0"}
    for name, options in settings.items():
        write(model.parent / name, answers(home, model, options))
    shaken.check_variety(lines(model.parent / "greedy.out"))


def make_ensemble(home, name, members):
    folder = home / name
    folder.mkdir(exist_ok=True)
    models = "".join(f"  - ../{member}/model.npz\n" for member in members)
    weights = list(members.values())
    (folder / "decoder.yml").write_text(
        f"relative-paths: true\nmodels:\n{models}vocabs:\n  - ../vocab.spm\n  - ../vocab.spm\nweights: {weights}\n")
    decode(home, folder / "decoder.yml")


def make_integers(home, name, options):
    """Only the integers are kept, and what Marian says with them and with the floats that they were."""
    folder = home / name
    with tempfile.TemporaryDirectory() as scratch:
        model = Path(scratch, "model.npz")
        train(home, model, options)
        folder.mkdir(exist_ok=True)
        write(folder / "greedy.out", answers(home, model, {"beam-size": 1}))
        for kind in ["int8", "int16"]:
            to = folder / f"model.{kind}.bin"
            convert(model, to, kind.replace("int", "intgemm"))
            write(folder / f"{kind}.greedy.out", answers(home, to, {"beam-size": 1}))
    shaken.check_variety(lines(folder / "greedy.out"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="names of models; all if absent")
    parser.add_argument("--decode-only", action="store_true", help="keep the models, ask Marian again")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"

    def wanted(table):
        return {name: what for name, what in table.get(engine, {}).items()
                if not arguments.models or name in arguments.models}

    for engine in MODELS:
        home = ROOT / "backends" / engine / "tests/goldens/marian"
        home.mkdir(parents=True, exist_ok=True)
        if not arguments.models or not (home / "vocab.spm").exists():
            make_shared(home)
        for name, options in wanted(MODELS).items():
            model = home / name / "model.npz"
            if not arguments.decode_only:
                train(home, model, options)
            decode(home, model, with_shortlist=options.get("then") != store_old_output)
            print(f"{engine}/{name}: {model.stat().st_size // 1024} KiB", flush=True)
        for name, members in wanted(ENSEMBLES).items():
            make_ensemble(home, name, members)
        for name, options in wanted(INTEGERS).items():
            make_integers(home, name, options)


if __name__ == "__main__":
    main()
