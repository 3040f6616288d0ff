"""Stage: translates a corpus or a sacrebleu test set and scores it. Choose models with val.*, never with a test set.

    python -m recipe.evaluate gru/average.pt                        val.en against val.de
    python -m recipe.evaluate gru/average.pt --test-set multi30k/2016
"""

import argparse
import time
from pathlib import Path

import sacrebleu
import torch

from recipe import checkpoint
from recipe import vocab as vocabulary
from recipe.files import Places, read_lines
from recipe.search import Settings
from recipe.translating import first_of, translate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("models", nargs="+", help="weights in the work directory; several: an ensemble")
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="de")
    parser.add_argument("--test-set", help="a name that sacrebleu knows, for the report only")
    parser.add_argument("--beam", type=int, default=1)
    parser.add_argument("--alpha", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--float32", action="store_true")
    options = parser.parse_args()
    places = Places.of(options)
    torch.set_num_threads(options.threads)
    if options.test_set:
        pair = f"{options.source}-{options.target}"
        sources = read_lines(Path(sacrebleu.get_source_file(options.test_set, pair)))
        references = read_lines(Path(sacrebleu.get_reference_files(options.test_set, pair)[0]))
    else:
        sources, references = places.lines(f"val.{options.source}"), places.lines(f"val.{options.target}")
    networks = [checkpoint.open_network(places.work / model) for model in options.models]
    began = time.monotonic()
    settings = Settings(beam=options.beam, alpha=options.alpha)
    found = first_of(translate(networks, vocabulary.load(places), sources, settings, bf16=not options.float32))
    seconds = time.monotonic() - began
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    print(f"{' + '.join(options.models)}  {options.test_set or 'validation'}  beam {options.beam}  {seconds:.1f} s")
    for metric in (bleu, chrf):
        print(" ", metric.corpus_score(found, [references]), metric.get_signature())


if __name__ == "__main__":
    main()
