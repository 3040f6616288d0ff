"""Stage: the n-gram vocabulary map (OpenNMT 2018, 3.3): which target pieces a source n-gram may need.

From the links of the stage `align` it extracts consistent phrase pairs, and for every source n-gram up to n pieces
keeps all pieces of its N best translations. The 0-grams, offered always, are the commonest pieces that are often left
unaligned. Product <work>/vmap.txt in the text form that CTranslate2 also reads: `source n-gram TAB target pieces`,
the 0-grams on a line with an empty first field. Prints how many target pieces of val.* the map covers.
"""

import argparse
from collections import Counter
from collections.abc import Iterator

from recipe import vocab as vocabulary
from recipe.files import Places, write_lines

LONGEST_TARGET = 8  # pieces; longer "translations" of up to a few source pieces come from loose alignments


def read_links(line: str) -> tuple[list[str], list[str], list[tuple[int, int]]]:
    source, target, links = line.split(" ||| ") if not line.endswith(" ||| ") else (*line[:-5].split(" ||| "), "")
    return source.split(), target.split(), [tuple(map(int, link.split("-"))) for link in links.split()]


def phrases(source: list[str], target: list[str], links: list[tuple[int, int]], longest: int) -> Iterator[tuple]:
    """(source n-gram, target n-gram) pairs whose links all stay inside the pair."""
    forward: dict[int, list[int]] = {}
    backward: dict[int, list[int]] = {}
    for i, j in links:
        forward.setdefault(i, []).append(j)
        backward.setdefault(j, []).append(i)
    for first in range(len(source)):
        for last in range(first, min(first + longest, len(source))):
            reached = [j for i in range(first, last + 1) for j in forward.get(i, [])]
            if not reached or max(reached) - min(reached) >= LONGEST_TARGET:
                continue
            span = range(min(reached), max(reached) + 1)
            if all(first <= i <= last for j in span for i in backward.get(j, [])):
                yield " ".join(source[first: last + 1]), " ".join(target[j] for j in span)


def build(lines: list[str], longest: int, best: int, rarest: int, zero_grams: int) -> dict[str, list[str]]:
    counts: dict[str, Counter] = {}
    unaligned: Counter = Counter()
    for line in lines:
        source, target, links = read_links(line)
        linked = {j for _, j in links}
        unaligned.update(piece for j, piece in enumerate(target) if j not in linked)
        for ngram, translation in phrases(source, target, links, longest):
            counts.setdefault(ngram, Counter())[translation] += 1
    always = [piece for piece, _ in unaligned.most_common(zero_grams)]
    table = {"": always}
    for ngram, translations in sorted(counts.items()):
        kept = [text for text, count in translations.most_common(best) if count >= rarest]
        pieces = sorted({piece for text in kept for piece in text.split()} - set(always))
        if pieces:
            table[ngram] = pieces
    return table


def thinned(table: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without n-grams that add nothing to what their shorter parts already offer."""
    kept: dict[str, list[str]] = {}
    for ngram in sorted(table, key=lambda text: text.count(" ")):
        known = offered(kept, ngram.split(), ngram.count(" "))
        fresh = [piece for piece in table[ngram] if piece not in known]
        if fresh:
            kept[ngram] = fresh
    return kept


def offered(table: dict[str, list[str]], source: list[str], longest: int) -> set[str]:
    """Every piece that the map allows for a source sentence."""
    pieces = set(table.get("", []))
    for size in range(1, longest + 1):
        for first in range(len(source) - size + 1):
            pieces.update(table.get(" ".join(source[first: first + size]), []))
    return pieces


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("--longest", type=int, default=3, help="n: pieces of a source n-gram")
    parser.add_argument("--best", type=int, default=20, help="N: translations kept for each")
    parser.add_argument("--rarest", type=int, default=2, help="least count of a phrase pair")
    parser.add_argument("--zero-grams", type=int, default=100)
    options = parser.parse_args()
    places = Places.of(options)
    table = thinned(build(places.lines("links.txt"), options.longest, options.best, options.rarest,
                          options.zero_grams))
    write_lines(places.work / "vmap.txt", [f"{ngram}\t{' '.join(pieces)}" for ngram, pieces in table.items()])
    vocab = vocabulary.load(places)
    covered = needed = size = 0
    sources, targets = (vocab.encode(places.lines(f"val.{language}"), out_type=str) for language in ("en", "de"))
    for source, target in zip(sources, targets):
        allowed = offered(table, source, options.longest)
        covered += sum(piece in allowed for piece in target)
        needed, size = needed + len(target), size + len(allowed)
    print(f"vmap: {len(table)} n-grams; validation: {covered / needed:.1%} of target pieces covered, "
          f"{size / len(sources):.0f} candidates a sentence")


if __name__ == "__main__":
    main()
