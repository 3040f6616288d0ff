"""Stage: translates the validation sets or test sets and scores each. Choose models with the former, never the latter.

    python -m recipe.evaluate gru/average.pt                                   val.en against val.de
    python -m recipe.evaluate small/best.pt --sets dev/docs dev/news           files <set>.en, <set>.de
    python -m recipe.evaluate small/best.pt --test-sets multi30k/2016 wmt14/full general/test/tatoeba

A test set is a name that sacrebleu knows (SACREBLEU names its cache) or else files like those of a validation set.
With --out the translations are written to <work>/<out>/<set>.<target>, to be read.
"""

import argparse
import time
from pathlib import Path

import sacrebleu
import torch

from recipe import checkpoint, validation
from recipe import vocab as vocabulary
from recipe.files import Places, read_lines, write_lines
from recipe.search import Settings


def test_sets(places: Places, names: list[str], source: str, target: str) -> validation.Sets:
    pair, sets = f"{source}-{target}", {}
    for name in names:
        if name in sacrebleu.get_available_testsets():
            sets[name] = (read_lines(Path(sacrebleu.get_source_file(name, pair))),
                          read_lines(Path(sacrebleu.get_reference_files(name, pair)[0])))
        else:
            sets.update(validation.read_sets(places, [name], source, target))
    return sets


def report(found: dict[str, list[str]], sets: validation.Sets) -> None:
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    for name, lines in found.items():
        scores = [metric.corpus_score(lines, [sets[name][1]]) for metric in (bleu, chrf)]
        print(f"  {name:32} {len(lines):6} lines  BLEU {scores[0].score:5.2f}  BP {scores[0].bp:.3f}  "
              f"chrF {scores[1].score:5.2f}")
    print(f"  mean BLEU {validation.mean(validation.bleus(found, sets)):.2f}   {bleu.get_signature()}   {chrf.get_signature()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("models", nargs="+", help="weights in the work directory; several: an ensemble")
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="de")
    parser.add_argument("--sets", nargs="+", default=["val"], help="validation sets")
    parser.add_argument("--test-sets", nargs="+", help="instead of validation sets, for the report only")
    parser.add_argument("--lines", type=int, help="only the first so many of each validation set")
    parser.add_argument("--beam", type=int, default=1)
    parser.add_argument("--alpha", type=float, default=1.0)
    parser.add_argument("--out", help="keeps the translations in this folder of the work directory")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--float32", action="store_true")
    options = parser.parse_args()
    places = Places.of(options)
    torch.set_num_threads(options.threads)
    languages = options.source, options.target
    sets = (test_sets(places, options.test_sets, *languages) if options.test_sets
            else validation.read_sets(places, options.sets, *languages, options.lines))
    networks = [checkpoint.open_network(places.work / model) for model in options.models]
    began = time.monotonic()
    settings = Settings(beam=options.beam, alpha=options.alpha)
    found = validation.translated(networks, vocabulary.load(places), sets, settings, not options.float32)
    print(f"{' + '.join(options.models)}  beam {options.beam}  {time.monotonic() - began:.1f} s")
    report(found, sets)
    if options.out:
        for name, lines in found.items():
            write_lines(places.work / options.out / f"{name}.{options.target}", lines)


if __name__ == "__main__":
    main()
