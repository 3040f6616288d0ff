"""Stage: from a finished run to models/<name>: picks the best weights on the validation sets, exports them, has dyno
narrow them, and writes the model card from what dyno itself translates.

    python -m recipe.ship gru --dyno ../target/release/dyno --models ../models

Test sets are read here for the card's figures only, after the choice is made.
"""

import argparse
import json
import shutil
import tomllib
from pathlib import Path

import sacrebleu

from recipe import checkpoint, validation
from recipe.average import average
from recipe.card import Card, Figures
from recipe.config import Config, load
from recipe.engine import Engine
from recipe.evaluate import test_sets
from recipe.export import export
from recipe.files import Places

MEASURED = ["int8"]  # what is shipped
CONFIGS = Path(__file__).parent.parent / "configs"


def choose(places: Places, config: Config, dyno: Path) -> tuple[Path, dict[str, float]]:
    """The weights with the best greedy BLEU: snapshots' average, the moving average at the end, or its best; of these
    what there is."""
    folder, languages = places.work / config.name, [config.source, config.target]
    if (folder / "snapshots").exists():
        average(places, config.name, checkpoint.SNAPSHOTS_KEPT)
    sets = validation.read_sets(places, config.validation, *languages)
    scores = {}
    for weights in (name for name in ("average.pt", "final.pt", "best.pt") if (folder / name).exists()):
        wide = places.work / "out" / f"{config.name}-{weights}"
        export(places, folder / weights, wide, languages, "", npz=False)
        engine = Engine(dyno, [wide])
        found = {name: engine.translate(sources, "--precision", "f32") for name, (sources, _) in sets.items()}
        scores[weights] = validation.mean(validation.bleus(found, sets))
        print(f"{config.name}/{weights}: validation BLEU {scores[weights]:.2f}")
    return folder / max(scores, key=scores.get), scores


def measure(engine: Engine, sets: validation.Sets, precision: str) -> dict[str, Figures]:
    """BLEU and chrF with confidence on each test set, and on all of them as one."""
    sets = sets | {"pooled": tuple(sum(lists, []) for lists in zip(*sets.values()))}
    return {name: figures(engine.translate(sources, "--precision", precision), references)
            for name, (sources, references) in sets.items()}


def figures(found: list[str], references: list[str]) -> Figures:
    bleu, chrf = sacrebleu.BLEU(references=[references]), sacrebleu.CHRF()
    scored = bleu.corpus_score(found, None, n_bootstrap=300)
    return Figures(scored.score, scored._ci, chrf.corpus_score(found, [references]).score,
                   bleu.get_signature().format(), chrf.get_signature().format())


def tokens_and_hours(log: Path) -> tuple[float, float]:
    """Target tokens and CPU hours of all updates that the log tells of, each once: a resumed run repeats some."""
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    spans = {entry["update"]: entry for entry in entries if "tokens_per_cpu_second" in entry}.values()
    seconds = sum(entry["tokens"] / entry["tokens_per_cpu_second"] for entry in spans)
    return sum(entry["tokens"] for entry in spans), seconds / 3600


def card(places: Places, config: Config, weights: Path, choices: dict[str, float], engine: Engine) -> Card:
    content = checkpoint.load(weights)
    data = tomllib.loads((CONFIGS / "data" / f"{config.data}.toml").read_text(encoding="utf-8"))
    report = places.work / "corpora.json"
    pairs = {name: counts["kept"] for name, counts in json.loads(report.read_text()).items()} if report.exists() else {}
    sets = test_sets(places, data["card"]["test_sets"], config.source, config.target)
    return Card(config, data, pairs, sum(tensor.numel() for tensor in content["weights"].values()),
                content["vocab_size"], weights.name, choices, *tokens_and_hours(places.work / config.name / "log.jsonl"),
                {precision: measure(engine, sets, precision) for precision in MEASURED})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("name", help="the run, as in its TOML file")
    parser.add_argument("--dyno", type=Path, required=True, help="the binary")
    parser.add_argument("--models", type=Path, required=True, help="directory of models; <name> in it is replaced")
    options = parser.parse_args()
    places = Places.of(options)
    config = load(CONFIGS / f"{options.name}.toml")
    weights, choices = choose(places, config, options.dyno)
    wide, shipped = places.work / "out" / config.name, options.models / config.name
    shutil.rmtree(wide, ignore_errors=True)
    export(places, weights, wide, [config.source, config.target], config.shortlist, npz=config.marian["type"] != "rnn-fc")
    engine = Engine(options.dyno, [wide])
    engine.convert(shipped, config.shipped, config.frequent)
    made = card(places, config, weights, choices, engine)
    (shipped / "README.md").write_text(made.text(), encoding="utf-8")
    print(made.quality())


if __name__ == "__main__":
    main()
