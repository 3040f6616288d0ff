"""Stage: what the students learn from, <out>.en and <out>.de.

    python -m recipe.distil teacher.nbest --further forward                                     (captions)
    python -m recipe.distil nbest/news --pairs pairs/news --out distilled/news …                (one corpus of several)
    python -m recipe.distil base/news teacher/news --pairs pairs/news --out distilled/news …    (of two teachers' lists)

For each real training pair the candidate of the teacher's n-best that is nearest to the reference: by sentence BLEU
(Kim and Rush's interpolation), or by lowest TER (HW-TSC). Then the teacher's translations of further English text, as
joined and filtered by the stage `pair`.
"""

import argparse
from functools import cache, partial
from multiprocessing import Pool

import sacrebleu

from recipe import filters
from recipe.files import Places, write_lines
from recipe.translate import read_nbest


@cache
def nearness(by: str):
    """A function (candidate, reference) → the larger the nearer."""
    if by == "bleu":
        metric = sacrebleu.BLEU(effective_order=True)  # as sacrebleu advises for single sentences
        return lambda candidate, reference: metric.sentence_score(candidate, [reference]).score
    metric = sacrebleu.TER()
    return lambda candidate, reference: -metric.sentence_score(candidate, [reference]).score


def select(by: str, candidates: list[tuple[str, float]], reference: str) -> str:
    """The nearest candidate; among equals the one that the teacher likes best (they come best first)."""
    near = nearness(by)
    return max((text for text, _ in candidates), key=lambda text: near(text, reference))


def joined(lists: list[dict]) -> dict[int, list[tuple[str, float]]]:
    """Line number → the candidates of all lists, for the lines that the first list has."""
    return {number: [candidate for each in lists for candidate in each.get(number, [])] for number in lists[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    Places.add_options(parser)
    parser.add_argument("nbest", nargs="+", help="the teacher's n-best of the pairs' English side; of several, all "
                        "candidates")
    parser.add_argument("--pairs", default="train", help="the real pairs NAME.en, NAME.de")
    parser.add_argument("--further", nargs="*", default=[], help="pairs NAME.en, NAME.de to add")
    parser.add_argument("--by", choices=["bleu", "ter"], default="bleu")
    parser.add_argument("--out", default="distilled")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    filters.add_options(parser)
    options = parser.parse_args()
    places = Places.of(options)
    nbest = joined([read_nbest(places.find(name)) for name in options.nbest])
    sources, references = places.lines(f"{options.pairs}.en"), places.lines(f"{options.pairs}.de")
    english = [sources[number] for number in sorted(nbest)]
    tasks = [(nbest[number], references[number]) for number in sorted(nbest)]
    with Pool(options.jobs) as pool:
        german = pool.starmap(partial(select, options.by), tasks, chunksize=500)
    for name in options.further:
        english += places.lines(f"{name}.en")
        german += places.lines(f"{name}.de")
    english, german, rejected = filters.filtered(*filters.of_options(options, places), english, german)
    write_lines(places.work / f"{options.out}.en", english)
    write_lines(places.work / f"{options.out}.de", german)
    print(f"{options.out}: {len(english)} pairs; left out: {dict(rejected)}")


if __name__ == "__main__":
    main()
