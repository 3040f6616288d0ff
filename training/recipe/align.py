"""Stage: word alignment of the students' training text, in vocabulary pieces, and the lexical shortlist from it.

    <work>/links.txt    source pieces ||| target pieces ||| links i-j (source-target), one pair a line
    <work>/lex.s2t      `target source p(target|source)` a line, as Marian reads with --shortlist lex.s2t 2 300
The first pieces of the vocabulary, which Marian offers to every line, are no frequent German words: it is a vocabulary of both
languages. So the most frequent target pieces stand as translations of the sentence's end, which every line has.
The text should be the distilled one: a shortlist must offer what the student was taught to say.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import systran_align

from recipe import vocab as vocabulary
from recipe.config import FREQUENT
from recipe.files import Places, write_lines

AT_ONCE = 10_000         # pairs; only bounds memory
# Validation BLEU of small and teacher with the first 100 pieces of the vocabulary instead of the most frequent: 31.60, 33.37;
# with these lists: 31.83, 33.70; with the whole vocabulary: 31.96, 33.99. The lists cost small 2 % of its time in batches
# and 5 % line by line, the whole vocabulary 13 and 73 %.
KEPT_PER_SOURCE = 50
END = "</s>"


def aligned(sources: list[list[str]], targets: list[list[str]]) -> Iterator[dict]:
    """Of every pair `alignments`, symmetrised from both directions, and each direction's log-probability."""
    with tempfile.TemporaryDirectory() as folder:
        text, forward, backward = (str(Path(folder) / name) for name in ("text", "forward", "backward"))
        write_lines(Path(text), [f"{' '.join(s)} ||| {' '.join(t)}" for s, t in zip(sources, targets)])
        # English and German run nearly in parallel, hence the diagonal; smoothing keeps rare pieces honest.
        systran_align.generate_alignment_probabilities(text, forward, backward, favor_diagonal=True,
                                                       optimize_tension=True, variational_bayes=True)
        aligner = systran_align.Aligner(forward, backward)
    for first in range(0, len(sources), AT_ONCE):
        yield from aligner.align_batch(sources[first: first + AT_ONCE], targets[first: first + AT_ONCE])


def align(sources: list[list[str]], targets: list[list[str]]) -> list[list[tuple[int, int]]]:
    """Links of every pair."""
    return [[tuple(link) for link in found["alignments"]] for found in aligned(sources, targets)]


def scores(sources: list[list[str]], targets: list[list[str]]) -> list[float]:
    """Of every pair the mean log-probability of a word given the other side, over both directions: low for pairs that
    do not belong together, whatever their lengths."""
    return [(found["forward_log_prob"] / len(target) + found["backward_log_prob"] / len(source)) / 2
            for source, target, found in zip(sources, targets, aligned(sources, targets))]


def lexicon(sources: list[list[str]], targets: list[list[str]], links: list[list[tuple[int, int]]]) -> list[str]:
    pairs, totals = Counter(), Counter()
    for source, target, found in zip(sources, targets, links):
        for i, j in found:
            pairs[source[i], target[j]] += 1
            totals[source[i]] += 1
    by_source: dict[str, list[tuple[float, str]]] = {}
    for (source, target), count in pairs.items():
        by_source.setdefault(source, []).append((count / totals[source], target))
    counts = Counter(piece for target in targets for piece in target)
    lines = [f"{piece} {END} {count / counts.total():.6f}" for piece, count in counts.most_common(FREQUENT)]
    for source, options in sorted(by_source.items()):
        for probability, target in sorted(options, key=lambda option: (-option[0], option[1]))[:KEPT_PER_SOURCE]:
            lines.append(f"{target} {source} {probability:.6f}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("corpora", nargs="+", help="pairs NAME.en, NAME.de")
    options = parser.parse_args()
    places = Places.of(options)
    vocab = vocabulary.load(places)
    sources, targets = ([pieces for name in options.corpora
                         for pieces in vocab.encode(places.lines(f"{name}.{language}"), out_type=str)]
                        for language in ("en", "de"))
    links = align(sources, targets)
    write_lines(places.work / "lex.s2t", lexicon(sources, targets, links))
    write_lines(places.work / "links.txt", [
        f"{' '.join(source)} ||| {' '.join(target)} ||| {' '.join(f'{i}-{j}' for i, j in found)}"
        for source, target, found in zip(sources, targets, links)])


if __name__ == "__main__":
    main()
