"""Stage: translates a corpus with one network or an ensemble: greedy, beam with n-best, or sampled.

Work is cut into parts that are kept as they are done, so a stopped run goes on with the first part missing. With
--nbest 1 the product is a line for a line; otherwise lines `number ||| text ||| normalised score`, best first.
"""

import argparse
import time
from pathlib import Path

import torch

from recipe import checkpoint
from recipe import vocab as vocabulary
from recipe.files import Places, read_lines, write_lines
from recipe.search import Settings
from recipe.translating import translate

PART = 10_000  # lines; sorted by length within, so large parts waste less on padding


def nbest_lines(number: int, hypotheses: list) -> list[str]:
    return [f"{number} ||| {text} ||| {hypothesis.value:.6f}" for text, hypothesis in hypotheses]


def read_nbest(path: Path) -> dict[int, list[tuple[str, float]]]:
    """Line number → its candidates (text, score), best first."""
    found: dict[int, list[tuple[str, float]]] = {}
    for line in read_lines(path):
        number, rest = line.split(" ||| ", 1)
        text, score = rest.rsplit(" ||| ", 1)
        found.setdefault(int(number), []).append((text, float(score)))
    return found


def run(places: Places, models: list[str], source: str, out: str, settings: Settings, batch: int, device: str,
        bf16: bool, seed: int) -> None:
    networks = [checkpoint.open_network(places.work / model).to(device) for model in models]
    vocab = vocabulary.load(places)
    lines = places.lines(source)
    parts = [places.work / f"{out}.parts" / f"{first:07d}" for first in range(0, len(lines), PART)]
    for index, part in enumerate(parts):
        if part.exists():
            continue
        began, first = time.monotonic(), index * PART
        torch.manual_seed(seed * 100_003 + index)  # sampling: the same whether or not the run was interrupted
        results = translate(networks, vocab, lines[first: first + PART], settings, batch=batch, bf16=bf16,
                            between=lambda done: places.wait_while_paused())
        if settings.nbest == 1:
            write_lines(part, [hypotheses[0][0] if hypotheses else "" for hypotheses in results])
        else:
            write_lines(part, [text for number, hypotheses in enumerate(results, first)
                               for text in nbest_lines(number, hypotheses)])
        rate = len(results) / (time.monotonic() - began)
        print(f"{time.strftime('%H:%M:%S')} {out}: {first + len(results)}/{len(lines)}, {rate:.0f} lines/s", flush=True)
    write_lines(places.work / out, [line for part in parts for line in read_lines(part)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    Places.add_options(parser)
    parser.add_argument("source", help="corpus to translate")
    parser.add_argument("out", help="product, in the work directory")
    parser.add_argument("models", nargs="+", help="weights, relative to the work directory; several: an ensemble")
    parser.add_argument("--beam", type=int, default=1)
    parser.add_argument("--nbest", type=int, default=1)
    parser.add_argument("--alpha", type=float, default=1.0, help="length normalisation: score / length^alpha")
    parser.add_argument("--sample-top", type=int, default=0, help="draw from the N likeliest words (beam 1)")
    parser.add_argument("--batch", type=int, default=128, help="sentences")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--float32", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    settings = Settings(beam=options.beam, nbest=options.nbest, alpha=options.alpha, sample_top=options.sample_top)
    run(Places.of(options), options.models, options.source, options.out, settings, options.batch, options.device,
        not options.float32, options.seed)


if __name__ == "__main__":
    main()
