#!/usr/bin/env python3
"""Makes backends/text/tests/goldens: small SentencePiece models, and the reference's results with them.

    pip install sentencepiece==0.2.3
    ci/text-goldens.py            run the reference again on the models that are there
    ci/text-goldens.py --train    train the models first (other ids, if the trainer has changed)

The models are trained on the sentences below, which belong to this project. The directory's README
describes the files. With --fixtures DIR, the ids for DIR/vocab.spm are made too.
"""

import argparse
import io
import itertools
import os
import pathlib
import random
import struct
import tempfile

import sentencepiece as spm

HERE = pathlib.Path(__file__).resolve().parent.parent / "backends/text/tests/goldens"

# A longer answer is stored as a checksum: the files are to stay small.
LONGEST_ANSWER = 120

SUBJECTS = ["the old engine", "a small bench", "my neighbour",
            "der alte Motor", "ein kleiner Prüfstand", "unsere Nachbarin"]
VERBS = ["measures", "translates", "understands", "misst", "übersetzt", "versteht"]
OBJECTS = ["every word twice", "the quiet street", "1 of 20 lines",
           "jedes Wort zweimal", "die stille Straße", "3 von 45 Zeilen"]
ENDS = ["before breakfast.", "without a break!", "in the rain?", "vor dem Frühstück.", "ohne Pause!", "(im Regen)"]
MORE = ["ﬁne ﬂow, oﬃce", "ＡＢＣ １２３ ½ ① ㌔", "日本語のテキスト、中文文本", "cafe\u0301 a\u0308 naïve", "Ωμέγα кириллица", "👩‍👧 😀👍🏽"] * 8


def corpus():
    sentences = [" ".join(words) for words in itertools.product(SUBJECTS, VERBS, OBJECTS, ENDS)]
    random.Random(1).shuffle(sentences)
    return sentences[:700] + MORE


# Rules of our own: the compiled standard ones take a quarter of a megabyte, which one model shows.
RULES = "41\t61\n42 43\t78\n71\t\n66 69\tFB01\nFB03\t66 66 69\n61 308\tE4\nA0\t20\n3000\t20 20\n9\t20\n"
BACK = "E4\t61 65\n3F\t21 21\n"

SYMBOLS = ["<sep>", "ei", "eine", "x y", "ﬁ", "...", "日本"]

MODELS = {
    "unigram-nmt": dict(model_type="unigram", normalization_rule_name="nmt_nfkc", bos_id=-1, eos_id=0, unk_id=1),
    "unigram-bytes": dict(model_type="unigram", byte_fallback=True, user_defined_symbols=SYMBOLS, vocab_size=520),
    "unigram-rules": dict(model_type="unigram", rules=True, denormalization=True, control_symbols=["<c>"]),
    "unigram-suffix": dict(model_type="unigram", treat_whitespace_as_suffix=True, rules=True),
    "unigram-spaces": dict(model_type="unigram", remove_extra_whitespaces=False, allow_whitespace_only_pieces=True,
                           split_by_whitespace=False, user_defined_symbols=["\u2581\u2581\u2581"]),
    "bpe-plain": dict(model_type="bpe", unk_surface="<?>"),
    "bpe-bytes": dict(model_type="bpe", byte_fallback=True, rules=True, vocab_size=520, split_digits=True),
    "bpe-symbols": dict(model_type="bpe", user_defined_symbols=SYMBOLS, add_dummy_prefix=False, rules=True),
    "bpe-suffix": dict(model_type="bpe", treat_whitespace_as_suffix=True, remove_extra_whitespaces=False),
    "bpe-across": dict(model_type="bpe", split_by_whitespace=False, remove_extra_whitespaces=False),
    "word": dict(model_type="word", rules=True),
    "char": dict(model_type="char", user_defined_symbols=SYMBOLS),
}


# Piece types, by the numbers of the format.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED = 1, 2, 3, 4, 5


def field(number, wire_type, payload):
    return bytes([number << 3 | wire_type]) + payload


def block(number, data):
    assert len(data) < 128  # a length of one byte
    return field(number, 2, bytes([len(data)]) + data)


def handmade(name, model_type, kinds, scores):
    """All strings of up to four of a few characters, most of them: ties and ways to cut wherever one looks."""
    rng = random.Random(name)
    strings = ["".join(chars) for n in range(1, 5) for chars in itertools.product("ab\u2581é", repeat=n)]
    pieces = [("<unk>", 0.0, UNKNOWN), ("</s>", 0.0, CONTROL)]
    pieces += [(text, rng.choice(scores), rng.choice(kinds)) for text in strings if rng.random() < 0.8]
    model = b""
    for text, score, kind in pieces:
        model += block(1, block(1, text.encode()) + field(2, 5, struct.pack("<f", score)) + field(3, 0, bytes([kind])))
    model += block(2, field(3, 0, bytes([model_type])))
    (HERE / f"{name}.spm").write_bytes(model)


HANDMADE = {
    "unigram-ties": (1, [NORMAL, NORMAL, UNUSED, USER_DEFINED], [-1.0, -2.0, -3.0, -4.0]),
    "bpe-ties": (2, [NORMAL], [-1.0, 0.0, 2.5]),
    "bpe-unused": (2, [NORMAL, UNUSED], [-1.0, -2.0, -2.5]),
}


def train(name, rules=False, denormalization=False, **settings):
    pathlib.Path("rules.tsv").write_text(RULES)
    pathlib.Path("back.tsv").write_text(BACK)
    defaults = dict(vocab_size=300, hard_vocab_limit=False, character_coverage=0.995, num_threads=1, minloglevel=2)
    if rules:
        defaults["normalization_rule_tsv"] = "rules.tsv"
    else:
        defaults["normalization_rule_name"] = "identity"
    if denormalization:
        defaults["denormalization_rule_tsv"] = "back.tsv"
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(sentence_iterator=iter(corpus()), model_writer=model, **{**defaults, **settings})
    (HERE / f"{name}.spm").write_bytes(model.getvalue())


# Text that has gone wrong somewhere: each line is a trap for some step.
TRAPS = [
    "", " ", "   ", "\t", "\u00a0", "\u3000", "\u2581", "\u2581\u2581", " \u2581 ", "a", " a", "a ", "  a  b  ",
    "the old engine measures every word twice before breakfast.", "Die stille Straße", "eine eineeine einei",
    "e\u0301 a\u0308 o\u0302\u0323 \u0301\u0301", "\u00e9 \u00e4 \u1ed9", "ﬁ ﬃ ﬀ ſt", "ＦＵＬＬ ｗｉｄｔｈ １２３", "½ ² Ⅷ ㌔ ™ …",
    "日本語 中文 한국어 \u1112\u1161\u11ab", "👩‍👩‍👧‍👦 👍🏽 🇩🇪 ❤️", "zero\u200bwidth\u200cnon\u200djoiner\ufeff", "\ufeffthe", "soft\u00adhyphen",
    "\x00", "a\x00b", "\x01\x1f\x7f", "a\r\nb\rc\nd", "\u0085\u2028\u2029", "\ufffd \ufffe \uffff", "\U0010ffff",
    "\u202eright to left\u202c שלום مرحبا", "हिन्दी ไทย", "İ ı ß ẞ Σ ς", "x y x y", "x\u2581y", "...", "....", "<sep>a<sep>",
    "<s> </s> <unk> <c> <0x41>", "1234567890 1 23 456", "AB ABC BCA qqq aqa", "aaaaaaaabaabab ababab bbaaab",
    "aéaéaa éa bébé  aaaa b", "\u2047 \u2047", "the\u2581old\u2581engine", "ä ä? ?ä",
]
BAD_BYTES = [
    b"\xff", b"\xfe\xff", b"a\xffb", b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80",
    b"\xf8\x88\x80\x80\x80", b"the \xe2\x96", b"\xe2\x96 a", b"\xf0\x9f\x98", b"\x80\xbf", b"\xc3", b"\xc3 \xa4", b"\xe6\x97\xa5\xe6\x9c",
]
# (unit, how often): ten thousand characters and more.
LONG = [("the old engine ", 700), ("日", 10000), ("a", 10000), (" ", 10000), ("😀", 3000), ("\u0301", 5000), ("eine", 2500), ("x y\xff", 2500)]


def random_lines(count):
    rng = random.Random(7)
    words = " ".join(corpus()).split()
    odd = [trap for trap in TRAPS if trap]
    for _ in range(count):
        parts = [rng.choice(words) if rng.random() < 0.7 else rng.choice(odd)[:8] for _ in range(rng.randint(1, 7))]
        yield rng.choice(["", " "]).join(parts).encode()


def cases():
    for trap in TRAPS:
        yield trap.encode(), 1
    for bad in BAD_BYTES:
        yield bad, 1
    for line in random_lines(60):
        yield line, 1
    for unit, count in LONG:
        yield unit.encode("latin-1") if unit.endswith("\xff") else unit.encode(), count


def escape(data):
    text = data.decode("utf-8", "surrogateescape")
    return "".join(c if c.isprintable() and c != "\\" else hexed(c) for c in text)


def hexed(char):
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


def checksum(data):
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"#{value:016x}"


def answer(ids):
    shown = " ".join(map(str, ids))
    return shown if len(ids) <= LONGEST_ANSWER else checksum(shown.encode())


def answer_text(text):
    data = text.encode()
    return escape(data) if len(data) <= 4 * LONGEST_ANSWER else checksum(data)


def ids_to_decode(model, count):
    """Any ids in any order: among them bytes that make no character, controls, leading spaces."""
    rng = random.Random(11)
    size = model.get_piece_size()
    byte_ids = [i for i in range(size) if model.is_byte(i)]
    for _ in range(count):
        pool = [range(size), range(min(size, 12)), byte_ids or range(size)]
        yield [rng.choice(rng.choice(pool)) for _ in range(rng.randint(1, 9))]


def ask(path, golden, decoded):
    model = spm.SentencePieceProcessor(model_file=str(path))
    with open(golden, "w") as out:
        for unit, count in cases():
            ids = model.encode(unit * count)
            out.write(f"{answer(ids)}\t{answer_text(model.decode(ids) if ids else '')}\n")
        for ids in ids_to_decode(model, decoded):
            out.write(f"= {' '.join(map(str, ids))}\t{answer_text(model.decode(ids))}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--fixtures", type=pathlib.Path)
    args = parser.parse_args()
    fixtures = args.fixtures and args.fixtures.resolve()
    HERE.mkdir(exist_ok=True)
    os.chdir(tempfile.mkdtemp())  # models keep the names of their rule files: no directory shall be in them
    with open(HERE / "cases.tsv", "w") as out:
        for unit, count in cases():
            out.write(f"{count}\t{escape(unit)}\n")
    for name, settings in MODELS.items():
        if args.train:
            train(name, **settings)
    for name, settings in HANDMADE.items():
        handmade(name, *settings)
    for name in [*MODELS, *HANDMADE]:
        ask(HERE / f"{name}.spm", HERE / f"{name}.golden", decoded=30)
    if fixtures:
        ask(fixtures / "vocab.spm", HERE / "fixtures-vocab.golden", decoded=30)


if __name__ == "__main__":
    main()
