"""Where corpora and products lie, and how text is read and written.

Two directories are named by the user, never by this code: the data directory (`--data` or DYNO_TRAIN_DATA: the
captions as published, gzip allowed) and the work directory (`--work` or DYNO_TRAIN_WORK: everything a stage makes).
A corpus is named relative to either; the work directory is looked in first, so that a stage can replace a file.
"""

import argparse
import gzip
import os
import time
from pathlib import Path


class Places:
    """The data and the work directory of one invocation."""

    def __init__(self, data: Path, work: Path):
        self.data = data
        self.work = work
        work.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def add_options(parser: argparse.ArgumentParser) -> None:
        for name, meaning in (("data", "corpora"), ("work", "products")):
            variable = f"DYNO_TRAIN_{name.upper()}"
            default = os.environ.get(variable)
            parser.add_argument(f"--{name}", type=Path, default=default, required=default is None,
                                help=f"directory of {meaning} (default: ${variable})")

    @classmethod
    def of(cls, options: argparse.Namespace) -> "Places":
        return cls(Path(options.data), Path(options.work))

    def find(self, name: str) -> Path:
        """The file called `name`, plain or gzipped, in the work or else the data directory."""
        tried = [root / (name + ending) for root in (self.work, self.data) for ending in ("", ".gz")]
        for path in tried:
            if path.exists():
                return path
        raise FileNotFoundError(f"corpus {name}: none of {', '.join(map(str, tried))}")

    def lines(self, name: str) -> list[str]:
        return read_lines(self.find(name))

    def wait_while_paused(self) -> None:
        """Sleeps while a file PAUSE lies in the work directory: a quiet machine on demand, nothing lost."""
        while (self.work / "PAUSE").exists():
            time.sleep(1)


def read_lines(path: Path) -> list[str]:
    """Lines without their ends; only the line feed ends one (str.splitlines would also cut at U+2028 and others)."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        text = file.read().decode("utf-8")
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return lines


def write_lines(path: Path, lines: list[str]) -> None:
    """Writes all or nothing: a stage that dies leaves no half file that a later stage would take for whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_bytes("".join(line + "\n" for line in lines).encode("utf-8"))
    partial.replace(path)
