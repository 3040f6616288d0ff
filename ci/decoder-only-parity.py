#!/usr/bin/env python3
"""Greedy answers of `decoder-only` against llama.cpp's, for lines of a file.

    pip install numpy jinja2 gguf==0.19.0
    LLAMA_CPP=FOLDER python3 ci/decoder-only-parity.py MODEL.gguf LINES.txt [--prompt TEXT] [--threads N] [--words N]

Both get the file's chat template around the prompt. Answers are compared as texts of one line. Where they differ, the
margin of llama.cpp's likeliest word over the second, at the first word that differs, is shown. Both programs round
activations to 8 bits, each in its own order: on SmolLM2-135M in Q4_1 either is 4 to 10 % of the logits' deviation away
from the network in f32, so that words of nearly equal logits change places.
"""

import argparse
import subprocess

import jinja2
import llama_cpp
import numpy as np
from gguf import GGUFReader

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("lines")
parser.add_argument("--prompt", default="{line}")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--words", type=int, default=40, help="greatest number of words of an answer")
parser.add_argument("--dyno", default="target/release/dyno")
options = parser.parse_args()

lines = open(options.lines, encoding="utf-8").read().splitlines()
command = [options.dyno, "translate", "--model", options.model, "--set", f"max-length={options.words}",
           "--set", "max-length-factor=1000", "--set", f"prompt={options.prompt}"]
ours = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
ours = ours.stdout.splitlines()

environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
fields = GGUFReader(options.model).fields
template = environment.from_string(fields["tokenizer.chat_template"].contents())
model = llama_cpp.Model(options.model, options.threads)


def answer(line):
    """The first line with text, and the words with their margins."""
    messages = [{"role": "user", "content": options.prompt.replace("{line}", line)}]
    text = template.render(messages=messages, add_generation_prompt=True, bos_token="")
    model.clear()
    logits, written, words = model.logits(model.tokens(text)), b"", []
    for _ in range(options.words):
        first, second = np.sort(logits)[:-3:-1]
        word = int(logits.argmax())
        words.append((word, float(first - second)))
        if model.ends(word):
            break
        written += model.piece(word)
        if b"\n" in written.lstrip():
            break
        logits = model.logits([word])
    found = [part.strip() for part in written.decode(errors="replace").splitlines() if part.strip()]
    return (found or [""])[0], words


margins_of_others = []
for line, own in zip(lines, ours, strict=True):
    theirs, words = answer(line)
    if own == theirs:
        continue
    own_words = model.tokens(own, control=False) + [None]  # the end
    margin = next(m for (word, m), own_word in zip(words, own_words) if word != own_word)
    margins_of_others.append(margin)
    print(f"margin {margin:.3f}\n  ours   {own}\n  theirs {theirs}")
print(f"{len(lines) - len(margins_of_others)} of {len(lines)} answers are equal")
if margins_of_others:
    middle, most = np.median(margins_of_others), max(margins_of_others)
    print(f"margins where the others part: median {middle:.3f}, greatest {most:.3f}")
