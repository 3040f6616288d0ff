#!/usr/bin/env python3
"""Makes backends/gru/tests/goldens/opennmt: tiny recurrent models of OpenNMT-py, and its translations with them.

    pip install OpenNMT-py==3.5.1
    ci/opennmt-goldens.py                    train and translate all models
    ci/opennmt-goldens.py --translate        translate again with the models that are there

The text is the literary set, testsets/captions-en-de, in small letters, with punctuation apart. OpenNMT-py trains each model
for seconds and translates with batches of one line, since its greatest length of a translation depends on the longest
line of a batch. `greedy.tsv` has a beam of 1, `beam.tsv` a beam of 4 with scores by the length, and `plain.tsv` a beam of
4 without. Each line is a translation and its score. All widths differ, so that no two dimensions can be confused.
Checkpoints are released as by `onmt_release_model`: without the optimizer's state.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDENS = ROOT / "backends/gru/tests/goldens/opennmt"
TEXT = ROOT / "testsets/captions-en-de"
LINES = 40
WORDS = 100
STEPS = 400
COMMON = "-word_vec_size 8 -hidden_size 12 -dropout 0 -optim adam -learning_rate 0.01 -max_grad_norm 5"

# Each kind of cell, encoder, attention and input; each way of sharing vectors; both forms of weights.
KEPT = {
    "lstm-general": "-rnn_type LSTM -encoder_type brnn -layers 2 -global_attention general -input_feed 1",
    "gru-general": "-rnn_type GRU -encoder_type brnn -enc_layers 2 -dec_layers 1 -global_attention general -input_feed 1",
    "gru-mlp-unfed": "-rnn_type GRU -encoder_type brnn -layers 2 -global_attention mlp -input_feed 0",
    "lstm-dot-tied": "-rnn_type LSTM -encoder_type rnn -layers 2 -global_attention dot -input_feed 0 -share_vocab "
                     "-share_embeddings -share_decoder_embeddings -word_vec_size 12",
    "lstm-mlp-apart": "-rnn_type LSTM -encoder_type brnn -layers 1 -global_attention mlp -input_feed 1 "
                      "-src_word_vec_size 6 -tgt_word_vec_size 10 -word_vec_size -1 -save_format safetensors",
}
WAYS = {
    "greedy": "-beam_size 1",
    "beam": "-beam_size 4",
    "plain": "-beam_size 4 -length_penalty none",
}


def tokenised(name):
    text = (TEXT / name).read_text(encoding="utf-8").lower()
    return [" ".join(re.sub(r"([^\w\s])", r" \1 ", line).split()) for line in text.splitlines()]


def vocabulary(path, lines):
    counts = collections.Counter(word for line in lines for word in line.split())
    path.write_text("".join(f"{word}\t{count}\n" for word, count in counts.most_common(WORDS)), encoding="utf-8")


def run(arguments, work):
    # Checkpoints hold more than tensors, which newer versions of PyTorch load only if asked to.
    environment = dict(os.environ, TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD="1", OMP_NUM_THREADS="1")
    done = subprocess.run([sys.executable, *arguments], cwd=work, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}")


def train(name, options, work):
    source, target = tokenised("source.en"), tokenised("reference.de")
    for file, lines in [("text.en", source), ("text.de", target)]:
        (work / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    shared = "-share_vocab" in options
    vocabulary(work / "words.en", source + target if shared else source)
    vocabulary(work / "words.de", source + target if shared else target)
    (work / "train.yml").write_text("data: {captions: {path_src: text.en, path_tgt: text.de}}\n", encoding="utf-8")
    fixed = f"-config train.yml -src_vocab words.en -tgt_vocab words.de -save_model model -train_steps {STEPS} " \
            f"-save_checkpoint_steps {STEPS} -batch_size 32 -num_workers 0 -bucket_size 800 -seed 7"
    run(["-m", "onmt.bin.train", *fixed.split(), *COMMON.split(), *options.split()], work)
    home = GOLDENS / name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    checkpoint = torch.load(work / f"model_step_{STEPS}.pt", weights_only=False)
    checkpoint["optim"] = None
    torch.save(checkpoint, home / "model.pt")
    weights = work / f"model_step_{STEPS}.safetensors"
    if weights.exists():  # OpenNMT-py reads such files by another name than it writes them
        (home / "model.00.safetensors").write_bytes(weights.read_bytes())


def translate(name, work):
    for way, options in WAYS.items():
        fixed = ["-model", str(GOLDENS / name / "model.pt"), "-src", str(GOLDENS / "lines.en"), "-output", "out"]
        out = GOLDENS / name / f"{way}.tsv"
        run([__file__, "--scored", str(out), *fixed, *"-batch_size 1".split(), *options.split()], work)


def scored(out, options):
    """Translates as `onmt_translate` does, and writes scores too, at which its own `-with_score` fails."""
    from onmt import opts
    from onmt.inference_engine import InferenceEnginePY
    from onmt.utils.parse import ArgumentParser

    parser = ArgumentParser()
    opts.translate_opts(parser)
    parsed = parser.parse_args(options)
    ArgumentParser.validate_translate_opts(parsed)
    ArgumentParser._get_all_transform_translate(parsed)
    ArgumentParser._validate_transforms_opts(parsed)
    ArgumentParser.validate_translate_opts_dynamic(parsed)
    scores, texts = InferenceEnginePY(parsed).infer_file()
    lines = [f"{text[0]}\t{float(score[0]):.6f}\n" for text, score in zip(texts, scores)]
    pathlib.Path(out).write_text("".join(lines), encoding="utf-8")


def main():
    if sys.argv[1:2] == ["--scored"]:
        return scored(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--translate", action="store_true")
    arguments = parser.parse_args()
    GOLDENS.mkdir(parents=True, exist_ok=True)
    lines = tokenised("source.en")[:LINES]
    # Odd ones: an unknown word alone, one known word, and a long line.
    lines += ["xylophon", "the", " ".join(lines[:4])]
    (GOLDENS / "lines.en").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, options in KEPT.items():
        with tempfile.TemporaryDirectory() as work:
            if not arguments.translate:
                train(name, options, pathlib.Path(work))
            translate(name, pathlib.Path(work))
        print(name, sum(path.stat().st_size for path in (GOLDENS / name).iterdir()), "bytes")


if __name__ == "__main__":
    main()
