"""dyno as the recipe uses it: to narrow exported weights, to measure what is shipped, and to translate in bulk.

dyno decodes the recipe's networks line for line as the recipe's own search does (tests/test_engine_parity.py). In int8 it
needs a fraction of the CPU time, and a teacher's int8 text is as good: bulk translation is most of distillation's cost.
"""

import os
import shutil
import subprocess
from pathlib import Path

from recipe.export import SHORTLIST, SPECIAL, export
from recipe.files import Places
from recipe.search import Settings


class Engine:
    """dyno with one model or an ensemble."""

    def __init__(self, dyno: Path, models: list[Path]):
        self.dyno, self.models = dyno, models
        self.options: list[str] = []  # for every translation

    def convert(self, out: Path, precisions: list[str], frequent: int = 0, pack: bool = True) -> None:
        """A shortlist goes along if it is to have `frequent` pieces for every line (see `recipe.align`); it is written in
        binary, a quarter of its text. Weights in int8 are packed, so that the model starts sooner."""
        model, = self.models
        cut = ["--shortlist", model / SHORTLIST, str(SPECIAL), str(frequent)] if frequent else []
        packed = ["--pack"] if pack and "int8" in precisions else []
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([self.dyno, "convert", model, out, "--precision", *precisions, *cut, *packed], check=True)

    def translate(self, sources: list[str], *options: str) -> list[str]:
        """The lines of the answer: one a source, or more with --n-best."""
        models = [word for model in self.models for word in ("--model", model)]
        command = [self.dyno, "translate", *models, "--track", "throughput-all",
                   "--cores", str(os.cpu_count()), *self.options, *options]
        text = "".join(line + "\n" for line in sources)
        done = subprocess.run(command, input=text, text=True, encoding="utf-8", capture_output=True, check=True)
        return done.stdout.split("\n")[:-1]

    def candidates(self, sources: list[str], settings: Settings, precision: str) -> list[list[tuple[str, float]]]:
        """For each line its n-best (text, normalised score), best first. The scores of an ensemble of Marian's families
        are sums over its members, not means: the order is the same."""
        if settings.sample_top:
            raise ValueError("dyno does not sample")
        found: list[list[tuple[str, float]]] = [[] for _ in sources]
        for line in self.translate(sources, "--precision", precision, "--beam", str(settings.beam), "--normalize",
                                   str(settings.alpha), "--max-length-factor", str(settings.length_factor), "--n-best"):
            number, rest = line.split(" ||| ", 1)
            text, score = rest.rsplit(" ||| ", 1)
            found[int(number)].append((text, float(score)))
        return [candidates[: settings.nbest] for candidates in found]


def exported(dyno: Path, places: Places, weights: list[str], languages: list[str], precision: str) -> Engine:
    """An engine for weights in the work directory, without a shortlist: a teacher chooses among all words. A name that
    ends in `.pt` is such a file; any other is a model directory, used as it ships, shortlist and all."""
    return Engine(dyno, [narrowed(dyno, places, name, languages, precision) if name.endswith(".pt") else Path(name)
                         for name in weights])


def narrowed(dyno: Path, places: Places, name: str, languages: list[str], precision: str) -> Path:
    wide = places.work / "out" / name.replace("/", "-").removesuffix(".pt")
    export(places, places.work / name, wide, languages, "", npz=False)
    narrow = wide.with_name(f"{wide.name}-{precision}")
    Engine(dyno, [wide]).convert(narrow, [precision])
    return narrow
