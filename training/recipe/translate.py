"""Stage: translates a corpus with one network or an ensemble: greedy, beam with n-best, or sampled.

    python -m recipe.translate captions.de bt.sampled.en backtranslator/best.pt --sample-top 8 --seed 5
    python -m recipe.translate pairs/news.en nbest/news teacher/final.pt teacher-wide/final.pt --beam 5 --nbest 5

With --dyno the engine decodes (anything but sampling), in int8 several times as fast as the networks here on a CPU.
Work is cut into parts that are kept as they are done, so a stopped run goes on with the first part missing. With
--nbest 1 the product is a line for a line; otherwise lines `number ||| text ||| normalised score`, best first.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import torch

from recipe import checkpoint, engine
from recipe import vocab as vocabulary
from recipe.files import Places, read_lines, write_lines
from recipe.search import Settings
from recipe.translating import translate

PART = 10_000  # lines; sorted by length within, so large parts waste less on padding


Candidates = list[tuple[str, float]]  # of one line: text and normalised score, best first
Translator = Callable[[list[str]], list[Candidates]]


def nbest_lines(number: int, candidates: Candidates) -> list[str]:
    return [f"{number} ||| {text} ||| {score:.6f}" for text, score in candidates]


def read_nbest(path: Path) -> dict[int, Candidates]:
    """Line number → its candidates."""
    found: dict[int, Candidates] = {}
    for line in read_lines(path):
        number, rest = line.split(" ||| ", 1)
        text, score = rest.rsplit(" ||| ", 1)
        found.setdefault(int(number), []).append((text, float(score)))
    return found


def by_networks(places: Places, models: list[str], settings: Settings, batch: int, device: str,
                bf16: bool) -> Translator:
    networks = [checkpoint.open_network(places.work / model).to(device) for model in models]
    vocab = vocabulary.load(places)

    def translator(lines: list[str]) -> list[Candidates]:
        results = translate(networks, vocab, lines, settings, batch=batch, bf16=bf16,
                            between=lambda done: places.wait_while_paused())
        return [[(text, hypothesis.value) for text, hypothesis in hypotheses] for hypotheses in results]
    return translator


def run(places: Places, source: str, out: str, translator: Translator, settings: Settings, seed: int,
        share: tuple[int, int] = (0, 1)) -> None:
    """With a share (k, n) only every n-th part, from the k-th, for n processes side by side."""
    lines = places.lines(source)
    parts = [places.work / f"{out}.parts" / f"{first:07d}" for first in range(0, len(lines), PART)]
    for index, part in enumerate(parts):
        if part.exists() or index % share[1] != share[0]:
            continue
        places.wait_while_paused()
        began, first = time.monotonic(), index * PART
        torch.manual_seed(seed * 100_003 + index)  # sampling: the same whether or not the run was interrupted
        results = translator(lines[first: first + PART])
        if settings.nbest == 1:
            write_lines(part, [candidates[0][0] if candidates else "" for candidates in results])
        else:
            write_lines(part, [text for number, candidates in enumerate(results, first)
                               for text in nbest_lines(number, candidates)])
        rate = len(results) / (time.monotonic() - began)
        print(f"{time.strftime('%H:%M:%S')} {out}: {first + len(results)}/{len(lines)}, {rate:.0f} lines/s", flush=True)
    if share[1] == 1:
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
    parser.add_argument("--share", type=int, nargs=2, default=[0, 1], metavar=("K", "N"),
                        help="only parts K, K+N, K+2N …, K from 0: for N processes side by side. "
                        "A call without it, after them, joins the parts")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--float32", action="store_true")
    parser.add_argument("--dyno", type=Path, help="the binary, to decode with it")
    parser.add_argument("--precision", default="int8", help="of the weights, for --dyno: f32, int16 or int8")
    parser.add_argument("--languages", nargs=2, default=["en", "de"], help="of the models, for --dyno")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    settings = Settings(beam=options.beam, nbest=options.nbest, alpha=options.alpha, sample_top=options.sample_top)
    places = Places.of(options)
    if options.dyno:
        teacher = engine.exported(options.dyno, places, options.models, options.languages, options.precision)
        translator: Translator = lambda lines: teacher.candidates(lines, settings, options.precision)
    else:
        translator = by_networks(places, options.models, settings, options.batch, options.device, not options.float32)
    run(places, options.source, options.out, translator, settings, options.seed, tuple(options.share))


if __name__ == "__main__":
    main()
