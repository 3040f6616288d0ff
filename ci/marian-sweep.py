#!/usr/bin/env python3
"""Compares `dyno translate` with Marian over models with random options of Marian's.

    pip install pymarian==1.12.42 sentencepiece==0.2.3
    cargo build --release
    ci/marian-sweep.py --out DIR --count 40          train, decode, compare; continues where it stopped
    ci/marian-sweep.py --out DIR --compare           only compare again, with another build of dyno

The models are tiny. Marian trains them for a moment on the literary set, testsets/captions-en-de. Then all weights are
shaken, so that no weight keeps its initial value and answers differ from line to line. Each model decodes one line at a
time: greedily, with beams, n-best lists and scores, shortlists, and other settings of the search. A table counts the lines
that differ. Scores count as equal within 0.001, or within 0.001 % for large ones. A tie is a pair of n-best lists with the
same scores, rank by rank, and different texts. The exit code is 1 if anything but ties differs.
"""

import argparse
import importlib.util
import pathlib
import random
import subprocess
import sys
import tempfile

import shaken

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXT = ROOT / "testsets/captions-en-de"
spec = importlib.util.spec_from_file_location("goldens", ROOT / "ci/rnn-goldens.py")
goldens = importlib.util.module_from_spec(spec)
spec.loader.exec_module(goldens)

# What Marian gets, and what dyno gets; dyno's and Marian's names differ in few places.
SETTINGS = {
    "greedy": ["--beam-size 1 --max-length-factor 1.2"] * 2,
    "beam4": ["--beam-size 4 --normalize 0.6 --n-best --max-length-factor 1"] * 2,
    "unk": ["--beam-size 1 --max-length-factor 0.7 --allow-unk"] * 2,
    "penalty": ["--beam-size 6 --normalize 1 --word-penalty 0.4 --allow-unk --n-best --max-length-factor 1.5"] * 2,
    "list1": ["--beam-size 1 --max-length-factor 1 --shortlist {home}/lex.s2t 50 50 0",
              "--beam 1 --max-length-factor 1 --shortlist {home}/lex.s2t 50 50"],
    "list3": ["--beam-size 3 --n-best --max-length-factor 1.2 --shortlist {home}/lex.s2t 30 5 0",
              "--beam 3 --n-best --max-length-factor 1.2 --shortlist {home}/lex.s2t 30 5"],
}
ODD = ["\t", "a\tb", " A man ", "a" * 60, "\u00a0", "\u200b", "the man\r", "Ω", "the the " * 25, "x Ω y"]


def pick(draw, **choices):
    return {key.replace("_", "-"): draw.choice(values) for key, values in choices.items()}


def transformer(draw):
    """One Transformer. An option whose value is None is left out; True is a flag."""
    flag = [None, None, True]
    options = pick(draw, type=["transformer"], dim_emb=[16, 32, 48], enc_depth=[1, 2, 3], dec_depth=[1, 2, 3],
                   transformer_heads=[1, 2, 4], transformer_dim_ffn=[16, 40, 64],
                   transformer_decoder_dim_ffn=[None, None, 24], transformer_ffn_depth=[1, 2, 2, 3],
                   transformer_decoder_ffn_depth=[None, None, 1, 3],
                   transformer_ffn_activation=["relu", "swish", "gelu", "sigmoid"],
                   transformer_preprocess=[None, None, "n", "r", "dn"],
                   transformer_postprocess=["dan", "dan", "da", "ra", "han", "dhn", "rad", "n", "anr", "h"],
                   transformer_postprocess_emb=["d", "d", "n", "r", "nr"],
                   transformer_postprocess_top=[None, None, "n", "r", "an", "na", "h"],
                   transformer_no_projection=flag, transformer_disable_position_embeddings=flag,
                   transformer_train_position_embeddings=flag, output_omit_bias=flag)
    if options["dec-depth"] > 1 and draw.random() < 0.3:
        options["transformer-tied-layers"] = " ".join(
            str(draw.randint(1, layer)) for layer in range(1, options["dec-depth"] + 1))
    match draw.choice(["self-attention", "average-attention", "average-attention", "rnn", "rnn"]):
        case "average-attention":
            options |= pick(draw, transformer_decoder_autoreg=["average-attention"], transformer_aan_depth=[1, 2, 3],
                            transformer_dim_aan=[16, 24, 32], transformer_aan_nogate=flag,
                            transformer_aan_activation=["swish", "relu", "gelu", "sigmoid"])
        case "rnn":
            options |= pick(draw, transformer_decoder_autoreg=["rnn"], dec_cell=["ssru"],
                            transformer_rnn_projection=flag, layer_normalization=flag)
    return options


def recurrent(draw):
    """One recurrent model."""
    flag = [None, True]
    options = pick(draw, type=["s2s", "s2s", "s2s", "amun", "nematus"], dim_emb=[16, 20], dim_rnn=[24, 16],
                   layer_normalization=flag, output_omit_bias=[None, None, True])
    if options["type"] == "s2s":
        cells = ["gru", "lstm", "gru-nematus"]
        options |= pick(draw, enc_type=["bidirectional", "bi-unidirectional", "alternating"], enc_cell=cells,
                        dec_cell=cells, enc_depth=[1, 2, 3, 4], dec_depth=[1, 2, 3], enc_cell_depth=[1, 2],
                        dec_cell_base_depth=[2, 3, 4], dec_cell_high_depth=[1, 2], skip=flag)
        # Marian reads past the end of a list where gru-nematus lacks input without being flagged a transition.
        if options["dec-cell"] == "gru-nematus":
            options["dec-cell-high-depth"] = 1
        if options["enc-cell"] == "gru-nematus" and options["enc-type"] == "bi-unidirectional":
            options["enc-cell-depth"] = 1
    elif options["type"] == "nematus":
        options |= {"enc-cell": "gru-nematus", "dec-cell": "gru-nematus"}
        options |= pick(draw, enc_cell_depth=[1, 2, 3], dec_cell_base_depth=[2, 3, 4])
    return options


def configuration(seed):
    draw = random.Random(seed)
    options = transformer(draw) if draw.random() < 0.6 else recurrent(draw)
    tied = draw.choice([["all"], ["all"], [], ["src"], ["trg"], ["src", "trg"]])
    names = {"all": "tied-embeddings-all", "src": "tied-embeddings-src", "trg": "tied-embeddings"}
    options |= {names[side]: True for side in tied}
    shared = "all" in tied or "src" in tied or draw.random() < 0.5
    return options, ["joint", "joint"] if shared else ["en", "de"]


def as_arguments(options):
    written = ((key, value) for key, value in options.items() if value is not None)
    return " ".join(f"--{key}" if value is True else f"--{key} {value}" for key, value in written)


def make_model(home, seed, updates):
    """Trains and decodes; the answers lie beside the model. The last file says that all is there."""
    folder = home / f"{seed:04}"
    if (folder / "options").exists():
        return
    folder.mkdir(exist_ok=True)
    options, languages = configuration(seed)
    arguments = as_arguments(options)
    vocabularies = [home / f"{language}.spm" for language in languages]
    train(folder, arguments, vocabularies, updates)
    for name, (settings, _) in SETTINGS.items():
        goldens.marian("decode", "--models", folder / "model.npz", "--vocabs", *vocabularies, "--cpu-threads", 1,
                       "--mini-batch", 1, "--input", home / "input.en", "--output", folder / name, "--workspace", 128,
                       "--quiet", *settings.format(home=home).split())
    goldens.write_decoder(folder, vocabularies)
    (folder / "options").write_text(arguments + "\n")


def train(folder, arguments, vocabularies, updates):
    with tempfile.TemporaryDirectory() as scratch:
        model = pathlib.Path(scratch) / "model.npz"
        goldens.marian("train", *arguments.split(), "--vocabs", *vocabularies, "--train-sets", TEXT / "source.en",
                       TEXT / "reference.de", "--model", model, "--cpu-threads", 1, "--seed", 1, "--after",
                       f"{updates}u", "--mini-batch", 32, "--learn-rate", 0.01, "--cost-type", "ce-mean-words",
                       "--max-length", 100, "--workspace", 200, "--clip-norm", 1, "--quiet")
        shaken.shake(model)
        (folder / "model.npz").write_bytes(model.read_bytes())


def lists(data):
    """For each line its answers: pairs of text and score, which is 0 where none was asked for."""
    answers = {}
    for at, line in enumerate(data.decode().removesuffix("\n").split("\n")):
        number, text, *_, score = line.split(" ||| ") if " ||| " in line else (at, line, 0)
        answers.setdefault(int(number), []).append((text, float(score)))
    return list(answers.values())


def near(theirs, ours):
    """Whether the scores of two lists are the same, rank by rank, up to the order of their sums."""
    pairs = [(a, b) for (_, a), (_, b) in zip(theirs, ours)]
    return len(theirs) == len(ours) and all(abs(a - b) <= 1e-3 + 1e-5 * abs(a) for a, b in pairs)


def compare(dyno, home, folder):
    """For each setting: lines, those that differ, those of them whose scores are the same, and different answers."""
    row = {}
    for name, (_, settings) in SETTINGS.items():
        settings = settings.format(home=home).replace("--beam-size", "--beam").replace("--allow-unk", "--set allow-unk=true")
        command = [dyno, "translate", "--model", folder / "decoder.yml", *settings.split()]
        done = subprocess.run(command, stdin=open(home / "input.en"), capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"dyno {settings}: {done.stderr.decode()}")
        theirs, ours = lists((folder / name).read_bytes()), lists(done.stdout)
        texts = [[text for text, _ in answers] for answers in theirs]
        wrong = [at for at, pair in enumerate(zip(theirs, ours, strict=True))
                 if texts[at] != [text for text, _ in ours[at]] or not near(*pair)]
        ties = [at for at in wrong if len(ours[at]) > 1 and near(theirs[at], ours[at])]
        row[name] = (len(theirs), len(wrong), len(ties), len(set(map(str, texts))))
    return row


def prepare(home):
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "lex.s2t").exists():
        goldens.train_vocabularies(home)
        goldens.write_input(home, 25)
        with open(home / "input.en", "a", newline="") as file:
            file.write("\n".join(ODD) + "\n")
        goldens.write_shortlist(home)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--first", type=int, default=1, help="seed of the first model")
    parser.add_argument("--updates", type=int, default=25)
    parser.add_argument("--compare", action="store_true", help="train and decode nothing")
    parser.add_argument("--dyno", default=ROOT / "target/release/dyno")
    given = parser.parse_args()
    prepare(given.out)
    print("model  for each setting: lines / that differ / of them ties / different answers")
    failed = False
    for seed in range(given.first, given.first + given.count):
        folder = given.out / f"{seed:04}"
        try:
            if not given.compare:
                make_model(given.out, seed, given.updates)
            if (folder / "options").exists():
                row = compare(given.dyno, given.out, folder)
                failed |= any(wrong > ties for _, wrong, ties, _ in row.values())
                cells = " ".join(f"{name} {'/'.join(map(str, value))}" for name, value in row.items())
                print(f"{seed:04} {cells} {as_arguments(configuration(seed)[0])}", flush=True)
        except RuntimeError as error:
            print(f"{seed:04} failed: {as_arguments(configuration(seed)[0])}\n{str(error)[-300:]}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
