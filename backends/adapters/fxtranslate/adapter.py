"""fxtranslate under the bench's protocol."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from protocol import fail, options, serve  # noqa: E402

from fxtranslate import Translator  # noqa: E402

# Lines that a process takes at a time from a file.
CHUNK = 32


class Engine:
    def __init__(self, chosen):
        folder = Path(chosen.model)

        def content(*patterns):
            found = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
            return found[0].read_bytes() if found else None

        model = content("model*.bin")
        source, target = content("srcvocab*.spm", "vocab*.spm"), content("trgvocab*.spm", "vocab*.spm")
        if None in (model, source, target):
            fail(f"fxtranslate: {folder} lacks model*.bin or vocab*.spm: unpack the files of Firefox there")
        self.translator = Translator(model, source, target, content("lex*.bin"))
        self.longest = int(chosen.settings["longest"])

    def text(self, line):
        is_long = len(line) > self.longest
        return self.translator.translate_long(line) if is_long else self.translator.translate(line)


ENGINE = None


def open_engine(chosen):
    """The engine of a process; it can't be shared."""
    global ENGINE
    ENGINE = Engine(chosen)


def text(line):
    return ENGINE.text(line)


def main():
    chosen = options()
    if chosen.cores == 1 or chosen.line_by_line or chosen.track == "server":
        open_engine(chosen)
        serve(chosen, lambda lines: [text(line) for line in lines])
        return
    with ProcessPoolExecutor(chosen.cores, initializer=open_engine, initargs=(chosen,)) as processes:

        def translate_all(lines):
            return list(processes.map(text, lines, chunksize=CHUNK))

        serve(chosen, translate_all, translate_all)


main()
