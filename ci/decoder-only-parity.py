#!/usr/bin/env python3
"""Greedy ids of `decoder-only` against llama.cpp's, for lines of a file.

    pip install numpy jinja2 gguf==0.19.0
    cargo build --release -p dyno-decoder-only --example greedy
    LLAMA_CPP=FOLDER python3 ci/decoder-only-parity.py MODEL.gguf LINES.txt [--prompt TEXT] [--threads N] [--words N]

Both read the same ids: the file's chat template around the prompt. Answers are equal, excused or differing. The rule
of margins: an answer is excused where, at the first id that differs, llama.cpp's margin of the likeliest word over the
second is smaller than the quantisation's own error, and our word is that second one. The error is measured with
llama.cpp alone: the same file with its weights in f32, so that no activation is rounded, reads llama.cpp's answers, and
each margin differs by some amount from the quantised file's. `--error PERCENT` takes that percentile of the amounts.

`--kernels FILE` compares llama.cpp with itself, on its kernels for another instruction set: a measure of how equal
answers can be. The exit status is 1 where fewer than 95 % are equal or excused.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile

import jinja2
import numpy as np
from gguf import GGUFReader, GGUFValueType, GGUFWriter
from gguf.quants import dequantize

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("lines")
parser.add_argument("--prompt", default="{line}")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--words", type=int, default=40, help="greatest number of words of an answer")
parser.add_argument("--greedy", default="target/release/examples/greedy")
parser.add_argument("--kernels", help="file of llama.cpp's kernels, instead of our engine")
parser.add_argument("--error", type=float, default=95, metavar="PERCENT")
parser.add_argument("--follow", help=argparse.SUPPRESS)  # a part of --kernels
options = parser.parse_args()
if options.follow:
    os.environ["LLAMA_CPU"] = options.follow

import llama_cpp  # noqa: E402 (it chooses the kernels)


def chats(model):
    """Ids of all lines' prompts. A file without a chat template gets the prompt as it is, behind the word that begins
    each text."""
    field = GGUFReader(options.model).fields.get("tokenizer.chat_template")
    chat = field and jinja2.Environment(trim_blocks=True, lstrip_blocks=True).from_string(field.contents())
    start = [model.start()] if model.start() is not None and not chat else []
    for line in open(options.lines, encoding="utf-8").read().splitlines():
        text = options.prompt.replace("{line}", line)
        if chat:
            messages = [{"role": "user", "content": text}]
            text = chat.render(messages=messages, add_generation_prompt=True, bos_token="")
        yield start + model.tokens(text)


def follow(model, ids):
    """The answer to ids: (likeliest word, the second, margin) of each step."""
    model.clear()
    logits, steps = model.logits(ids), []
    for _ in range(options.words):
        second, first = np.argpartition(logits, -2)[-2:].tolist()
        if logits[second] > logits[first]:
            first, second = second, first
        steps.append((first, second, float(logits[first] - logits[second])))
        if model.ends(first):
            break
        logits = model.logits([first])
    return steps


def reread(model, ids, steps):
    """Margins of the steps' words by another model."""
    model.clear()
    logits = model.logits(ids)
    for first, second, _ in steps:
        yield float(logits[first] - logits[second])
        logits = model.logits([first])


def widen(path, to):
    """Writes the file at `path` with weights in f32."""
    source = GGUFReader(path)
    writer = GGUFWriter(to, source.fields["general.architecture"].contents())
    for key, field in source.fields.items():
        if not key.startswith("GGUF.") and key not in ("general.architecture", "general.file_type"):
            element = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), field.types[0], element)
    for tensor in source.tensors:
        writer.add_tensor(tensor.name, np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def others(prompts, ends):
    """The compared side's answers, up to an end."""
    command = [options.greedy, options.model, str(options.words)]
    if options.kernels:
        command = [sys.executable, *sys.argv, "--follow", options.kernels]
    text = "".join(" ".join(map(str, ids)) + "\n" for ids in prompts)
    told = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    for line in told.splitlines():
        words = [int(word) for word in line.split()]
        last = next((at for at, word in enumerate(words) if ends(word)), len(words))
        yield words[: last + 1]


def main():
    model = llama_cpp.Model(options.model, options.threads)
    prompts = list(chats(model))
    if options.follow:
        for ids in prompts:
            print(*(first for first, _, _ in follow(model, ids)))
        return
    answers = [follow(model, ids) for ids in prompts]
    with tempfile.TemporaryDirectory() as folder:
        widen(options.model, f"{folder}/f32.gguf")
        exact = llama_cpp.Model(f"{folder}/f32.gguf", options.threads)
        margins = [list(reread(exact, ids, steps)) for ids, steps in zip(prompts, answers)]
    errors = [abs(of_exact - step[2]) for own, steps in zip(margins, answers) for of_exact, step in zip(own, steps)]
    error = float(np.percentile(errors, options.error))
    print(f"{len(errors)} words; the quantisation's error of a margin: median {np.median(errors):.3f}, "
          f"percentile {options.error:g} {error:.3f}")
    judge(prompts, answers, margins, list(others(prompts, model.ends)), error, model)


def judge(prompts, answers, margins, found, error, model):
    """Prints the table of parting answers, and the counts."""
    counts = {"equal": 0, "excused": 0, "differing": 0}
    print("line  word  margin  in f32  llama.cpp's, ours")
    for line, (steps, words) in enumerate(zip(answers, found, strict=True)):
        theirs = [first for first, _, _ in steps]
        if theirs == words:
            counts["equal"] += 1
            continue
        at = next(at for at, pair in enumerate(zip(theirs, words)) if pair[0] != pair[1])
        first, second, margin = steps[at]
        verdict = "excused" if margin < error and words[at] == second else "differing"
        counts[verdict] += 1
        pieces = ", ".join(repr(model.piece(word, True).decode(errors="replace")) for word in (first, words[at]))
        print(f"{line + 1:4}  {at + 1:4}  {margin:6.3f}  {margins[line][at]:6.3f}  {pieces}"
              + (" differing" if verdict == "differing" else ""))
    print(f"{options.words} words, {len(prompts)} lines: " + ", ".join(f"{n} {word}" for word, n in counts.items()))
    if counts["differing"] > 0.05 * len(prompts):
        sys.exit(1)


with contextlib.suppress(BrokenPipeError):
    main()
