"""llama.cpp's answers to the lines of a file, one after another, with nothing kept from line to line.

    python llama.cpp.py MODEL LINES MESSAGE MOST

The model's memory is emptied before each line. The words that all prompts begin with are read first, and then those of
the line, in two calls: so the sums are those of a prompt that was kept. The template of the chat is written out here.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "backends/adapters/llama.cpp"))
from library import Model  # noqa: E402

path, lines, message, most = sys.argv[1:]
model = Model(path)


def prompt(line):
    return model.tokens(f"<|im_start|>user\n{message.replace('{line}', line)}<|im_end|>\n<|im_start|>assistant\n")


same = len(os.path.commonprefix([prompt(line) for line in ("", " A", "A", "7")]))
for line in Path(lines).read_text(encoding="utf-8").removesuffix("\n").split("\n"):
    ids, said = prompt(line), b""
    model.cut(0, 0)
    model.read([(word, at, 0, False) for at, word in enumerate(ids[:same])])
    words = model.read([(ids[at], at, 0, at + 1 == len(ids)) for at in range(same, len(ids))])
    for step in range(int(most)):
        if model.ends(words[0]):
            break
        said += model.piece(words[0])
        if b"\n" in said.lstrip():
            break
        words = model.read([(words[0], len(ids) + step, 0, True)])
    print(said.decode("utf-8", "replace").strip().split("\n")[0].strip())
