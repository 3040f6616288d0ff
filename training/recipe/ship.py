"""Stage: from a finished run to models/<name>: picks the best weights on val.*, exports them, has dyno narrow them, and
writes the model card from what dyno itself translates.

    python -m recipe.ship gru --dyno ../target/release/dyno --models ../models

Test sets are read here for the card's figures only, after the choice is made.
"""

import argparse
import json
import shutil
import subprocess
from pathlib import Path

import sacrebleu

from recipe import checkpoint
from recipe import vocab as vocabulary
from recipe.average import average
from recipe.card import Card, Figures
from recipe.config import load
from recipe.export import SHORTLIST, export
from recipe.files import Places, read_lines
from recipe.search import Settings
from recipe.translating import first_of, translate

# Always so many words, and at most so many of each source word.
SHORTLIST_CUT = ["100", "50"]
TEST_SETS = ["multi30k/2016", "multi30k/2017", "multi30k/2018"]
MEASURED = ["f32", "int16", "int8"]


def choose(places: Places, name: str, source: str, target: str) -> tuple[Path, dict[str, float]]:
    """The weights with the best greedy BLEU on val.*: snapshots' average, the moving average at the end, or its best."""
    average(places, name, checkpoint.SNAPSHOTS_KEPT)
    sources, references = places.lines(f"val.{source}"), places.lines(f"val.{target}")
    scores = {}
    for weights in ("average.pt", "final.pt", "best.pt"):
        network = checkpoint.open_network(places.work / name / weights)
        found = first_of(translate([network], vocabulary.load(places), sources, Settings(), bf16=False))
        scores[weights] = sacrebleu.BLEU().corpus_score(found, [references]).score
        print(f"{name}/{weights}: validation BLEU {scores[weights]:.2f}")
    return places.work / name / max(scores, key=scores.get), scores


class Engine:
    """dyno, as a user runs it: greedy, with the shortlist that the model brings."""

    def __init__(self, dyno: Path, model: Path, pair: str):
        self.dyno, self.model, self.pair = dyno, model, pair

    def convert(self, out: Path, precisions: list[str]) -> None:
        """A lexical shortlist is cut on the way, and written in binary: a quarter of its text."""
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([self.dyno, "convert", self.model, out, "--precision", *precisions,
                        "--shortlist", self.model / SHORTLIST, *SHORTLIST_CUT], check=True)

    def translate(self, sources: list[str], precision: str) -> list[str]:
        command = [self.dyno, "translate", "--model", self.model, "--precision", precision]
        text = "".join(line + "\n" for line in sources)
        done = subprocess.run(command, input=text, text=True, encoding="utf-8", capture_output=True, check=True)
        return done.stdout.split("\n")[:-1]

    def measure(self, precision: str) -> dict[str, Figures]:
        """BLEU and chrF with confidence on each test set, and on all of them as one."""
        texts = {name: (read_lines(Path(sacrebleu.get_source_file(name, self.pair))),
                        read_lines(Path(sacrebleu.get_reference_files(name, self.pair)[0]))) for name in TEST_SETS}
        texts["pooled"] = tuple(sum(lists, []) for lists in zip(*texts.values()))
        return {name: figures(self.translate(sources, precision), references)
                for name, (sources, references) in texts.items()}


def figures(found: list[str], references: list[str]) -> Figures:
    bleu, chrf = sacrebleu.BLEU(references=[references]), sacrebleu.CHRF()
    scored = bleu.corpus_score(found, None, n_bootstrap=1000)
    return Figures(scored.score, scored._ci, chrf.corpus_score(found, [references]).score,
                   bleu.get_signature().format(), chrf.get_signature().format())


def tokens_and_hours(log: Path, batch_tokens: int) -> tuple[float, float]:
    """Of all updates that the log tells of. Padding is counted as tokens, so the hours are on the high side."""
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    speeds = {entry["update"]: entry["tokens_per_second"] for entry in entries if "tokens_per_second" in entry}
    updates = sorted(speeds)
    spans = [(after - before) * batch_tokens for before, after in zip([0, *updates], updates)]
    return sum(spans), sum(span / speeds[update] for span, update in zip(spans, updates)) / 3600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("name", help="the run, as in its TOML file")
    parser.add_argument("--dyno", type=Path, required=True, help="the binary")
    parser.add_argument("--models", type=Path, required=True, help="directory of models; <name> in it is replaced")
    options = parser.parse_args()
    places = Places.of(options)
    config = load(Path(__file__).parent.parent / "configs" / f"{options.name}.toml")
    weights, choices = choose(places, config.name, config.source, config.target)
    wide, shipped = places.work / "out" / config.name, options.models / config.name
    shutil.rmtree(wide, ignore_errors=True)
    export(places, weights, wide, [config.source, config.target], config.shortlist, npz=config.marian["type"] != "rnn-fc")
    engine = Engine(options.dyno, wide, f"{config.source}-{config.target}")
    engine.convert(shipped, config.shipped)
    parameters = sum(tensor.numel() for tensor in checkpoint.load(weights)["weights"].values())
    tokens, hours = tokens_and_hours(places.work / config.name / "log.jsonl", config.training.batch_tokens)
    card = Card(config, parameters, weights.name, choices, tokens, hours,
                {precision: engine.measure(precision) for precision in MEASURED})
    (shipped / "README.md").write_text(card.text(), encoding="utf-8")
    print(card.quality())


if __name__ == "__main__":
    main()
