"""Apertium under the bench's protocol: one chain of programs for all lines, which flushes at each zero byte."""

import os
import shlex
import subprocess
import sys
import threading
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from protocol import fail, options, serve  # noqa: E402

# Characters of the stream's own format, which a text has with a backslash before them.
RESERVED = "\\[]{}^$/<>@"
# End of each text: `apertium-destxt` writes it, so that the tagger meets the end of a sentence.
END = ".[][\n]"


class Chain:
    def __init__(self, chosen):
        folder = Path(chosen.model).resolve()
        mode = chosen.settings.get("mode") or folder.name.removeprefix("apertium-")
        places = [folder / "modes", folder.parent / "modes", folder]
        found = next((place / f"{mode}.mode" for place in places if (place / f"{mode}.mode").is_file()), None)
        if not found:
            fail(f"apertium: no {mode}.mode in {' or '.join(map(str, places))}: set `mode`")
        self.reads, self.processes = None, []
        for command in commands(found.read_text(encoding="utf-8"), folder):
            self.add(command)
        self.writes = self.processes[0].stdin

    def add(self, command):
        given = self.reads or subprocess.PIPE
        try:
            process = subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE)
        except OSError as error:
            fail(f"apertium: can't start {command[0]}: {error.strerror}: install the package that has it")
        if self.reads:
            self.reads.close()
        self.reads = process.stdout
        self.processes.append(process)

    def translate(self, lines):
        """Answers in the order of the lines. A thread writes: the chain begins to answer before it has read all."""
        writer = threading.Thread(target=self.write, args=(lines,), daemon=True)
        writer.start()
        answers = [self.answer() for _ in lines]
        writer.join()
        return answers

    def write(self, lines):
        for line in lines:
            self.writes.write(escaped(line).encode("utf-8", "replace") + END.encode() + b"\0")
        self.writes.flush()

    def answer(self):
        said = bytearray()
        while (byte := self.reads.read(1)) != b"\0":
            if not byte:
                fail("apertium: a program of the chain ended; its last words are above")
            said += byte
        before, _, behind = said.decode("utf-8", "replace").rpartition(".[]")
        return plain(before + behind).removesuffix("\n")

    def end(self):
        self.writes.close()
        for process in self.processes:
            process.wait()


def commands(mode, folder):
    """The programs of a chain. Unknown words stay as they are, without a star; data are those of the model's folder."""
    words = shlex.split(mode.replace("$1", "-n").replace("$2", ""), posix=True)
    command = []
    for word in [*words, "|"]:
        if word == "|":
            yield [command[0], "-z", *command[1:]]
            command = []
        else:
            inside = folder / Path(word).name
            command.append(str(inside) if "/" in word and inside.is_file() else word)


def escaped(line):
    """A line in the stream's format: white space and tildes other than single spaces stand in brackets."""
    text, blank = "", ""
    for character in line.replace("\0", " ") + "\n":
        if character == "~" or character.isspace() and character != "\n":
            blank += character
            continue
        text += blank if blank in ("", " ") else f"[{blank}]"
        blank = ""
        text += "\\" + character if character in RESERVED else character
    return text[:-1]


def plain(text):
    """The text of an answer, without the stream's brackets and backslashes."""
    said, at = "", 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
            said += text[at]
        elif text[at] not in "[]":
            said += text[at]
        at += 1
    return said


def main():
    chosen = options()
    chain = Chain(chosen)
    serve(chosen, chain.translate, chain.translate)
    chain.end()


if __name__ == "__main__":
    main()
