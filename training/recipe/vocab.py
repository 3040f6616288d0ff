"""Stage: the joint SentencePiece vocabulary, with the special ids that Marian expects.

    python -m recipe.vocab                                                            (captions)
    python -m recipe.vocab pairs/news pairs/docs … --size 8000 --most 60000 --digits   (general text)

One vocabulary for both languages lets source, target and output share one embedding matrix, the largest part of a
small model; 4,000 pieces keep that part near a million parameters, and captions need no more.
"""

import argparse
import io

import sentencepiece

from recipe.files import Places

# Ids as Marian writes them: end of sentence 0, unknown 1, no start, no padding.
EOS, UNK = 0, 1

CORPORA = ["train", "captions"]


def sampled(lines: list[str], most: int) -> list[str]:
    """At most about so many of the lines, evenly spaced."""
    return lines[:: max(1, round(len(lines) / most))]


def train(places: Places, corpora: list[str], size: int, most: int, digits: bool, name: str) -> None:
    sentences = (line for corpus in corpora for language in ("en", "de")
                 for line in sampled(places.lines(f"{corpus}.{language}"), most))
    model = io.BytesIO()  # a file's name would stand in the model, folder and all
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=sentences,
        model_writer=model,
        vocab_size=size,
        model_type="unigram",  # the one type that subword regularisation can sample from
        # The remaining characters (typing slips, symbols) would each cost an embedding row and be seen once or twice.
        character_coverage=0.9999,
        split_digits=digits,
        bos_id=-1, eos_id=EOS, unk_id=UNK, pad_id=-1,
        num_threads=2,
        minloglevel=1,
    )
    (places.work / f"{name}.model").write_bytes(model.getvalue())


def load(places: Places, name: str = "vocab") -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_file=str(places.work / f"{name}.model"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("corpora", nargs="*", default=CORPORA, help="files NAME.en, NAME.de; without any: captions")
    parser.add_argument("--most", type=int, default=10**9, help="lines of a file: large corpora outvote small ones")
    parser.add_argument("--digits", action="store_true", help="numbers digit by digit: then any number can be copied")
    parser.add_argument("--size", type=int, default=4000)
    parser.add_argument("--name", default="vocab", help="writes <work>/<name>.model")
    options = parser.parse_args()
    train(Places.of(options), options.corpora, options.size, options.most, options.digits, options.name)


if __name__ == "__main__":
    main()
