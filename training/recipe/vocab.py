"""Stage 1: the joint SentencePiece vocabulary, with the special ids that Marian expects.

One vocabulary for both languages lets source, target and output share one embedding matrix, the largest part of a
small model; 4,000 pieces keep that part near a million parameters.
"""

import argparse
import io

import sentencepiece

from recipe.files import Places

# Ids as Marian writes them: end of sentence 0, unknown 1, no start, no padding.
EOS, UNK = 0, 1

CORPORA = ["train.en", "train.de", "captions.en", "captions.de"]


def train(places: Places, size: int, name: str) -> None:
    sentences = (line for corpus in CORPORA for line in places.lines(corpus))
    model = io.BytesIO()  # a file's name would stand in the model, folder and all
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=sentences,
        model_writer=model,
        vocab_size=size,
        model_type="unigram",  # the one type that subword regularisation can sample from
        # The remaining characters (typing slips, symbols) would each cost an embedding row and be seen once or twice.
        character_coverage=0.9999,
        bos_id=-1, eos_id=EOS, unk_id=UNK, pad_id=-1,
        num_threads=2,
        minloglevel=1,
    )
    (places.work / f"{name}.model").write_bytes(model.getvalue())


def load(places: Places, name: str = "vocab") -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_file=str(places.work / f"{name}.model"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    Places.add_options(parser)
    parser.add_argument("--size", type=int, default=4000)
    parser.add_argument("--name", default="vocab", help="writes <work>/<name>.model")
    options = parser.parse_args()
    train(Places.of(options), options.size, options.name)


if __name__ == "__main__":
    main()
