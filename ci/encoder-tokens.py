#!/usr/bin/env python3
"""Compares the engine encoder's ids with those of the slow tokenisers in Python, on many lines.

    ci/encoder-tokens.py [--lines 100000] [--text FILE ...] [--dyno target/release/dyno]

Needs `transformers` below version 5, `sentencepiece` and `tokenizers` (which trains two of the vocabularies and computes
no id). The slow tokenisers share no code with the engine. Half of the lines are text (the files of --text, else the test
sets, in turn), the other half is made to be awkward: text with odd characters strewn in, and odd characters alone. Every
kind of tokeniser gets all lines. BERT's slow tokeniser differs from the engine in three places, as
backends/encoder/src/tokens/mod.rs says: it drops code points that Unicode hasn't assigned, it composes characters (NFC),
and it knows the punctuation of newer versions of Unicode. Lines that differ are asked again without these differences, and
must then agree. Exit code 1 if a line is still different.
"""

import argparse
import gzip
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ["TOKENIZERS_PARALLELISM"] = "false"
MOST = 128  # tokens of a line
WORDS = 8000
SEED = 11

# Blocks from which odd characters are drawn: scripts, marks, spaces, symbols, emoji, forms for compatibility.
BLOCKS = [
    (0x00, 0x09), (0x0B, 0x0C), (0x0E, 0x20), (0x7F, 0xFF), (0x100, 0x24F), (0x250, 0x2FF), (0x300, 0x36F), (0x370, 0x3FF),
    (0x400, 0x4FF), (0x531, 0x58A), (0x591, 0x5F4), (0x600, 0x6FF), (0x900, 0x97F), (0xE01, 0xE5B), (0x1100, 0x11FF),
    (0x1E00, 0x1FFE), (0x2000, 0x206F), (0x2070, 0x20BF), (0x2100, 0x218B), (0x2190, 0x23FF), (0x2460, 0x24FF),
    (0x2500, 0x27BF), (0x3000, 0x303F), (0x3041, 0x30FF), (0x3131, 0x318E), (0x3200, 0x33FF), (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3), (0xE000, 0xE010), (0xF900, 0xFAD9), (0xFB00, 0xFB4F), (0xFE00, 0xFE6F), (0xFF00, 0xFFEF),
    (0xFFF9, 0xFFFD), (0x1D400, 0x1D7FF), (0x1F1E6, 0x1F1FF), (0x1F300, 0x1F64F), (0x1F680, 0x1F6F3), (0x20000, 0x20100),
    (0x2F800, 0x2FA1D), (0xE0001, 0xE007F),
]
SPECIAL = ["[CLS]", "[SEP]", "[MASK]", "[UNK]", "[PAD]", "<s>", "</s>", "<pad>", "<unk>", "<mask>", "##", "Ġ", "▁", "'s", "'LL"]


def read(path):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n").rstrip("\r") for line in file]


def odd_character(random):
    """A character of one of the blocks; seldom one that Unicode hasn't assigned."""
    while True:
        character = chr(random.randint(*random.choice(BLOCKS)))
        assigned = unicodedata.category(character) != "Cn"
        if character not in "\n\r" and (assigned or random.random() < 0.01):
            return character


def awkward(text, random):
    """A line of text with odd characters and special words strewn in, or odd ones alone."""
    kind = random.random()
    if kind < 0.2:
        return "".join(odd_character(random) for _ in range(random.randint(1, 30))).rstrip("\r")
    characters = list(text[:200])
    for _ in range(random.randint(1, 6)):
        piece = random.choice(SPECIAL) if random.random() < 0.15 else odd_character(random) * random.choice([1, 1, 1, 2, 5])
        characters.insert(random.randint(0, len(characters)), piece)
    if kind > 0.95:
        characters.insert(random.randint(0, len(characters)), random.choice("aé漢 ") * random.randint(90, 120))
    return "".join(characters)


def make_lines(texts, count):
    draw = random.Random(SEED)
    text = list(itertools.islice(itertools.cycle(draw.sample(texts, len(texts))), count // 2))
    return text + [awkward(draw.choice(texts), draw) for _ in range(count - len(text))]


def word_pieces(folder, texts, lower):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=WORDS, special_tokens=special, show_progress=False))
    words = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word, _ in words), encoding="utf-8")
    return {"tokenizer_class": "BertTokenizer", "do_lower_case": lower}


def byte_pairs(folder, texts):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=WORDS, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.model.save(str(folder))
    return {"tokenizer_class": "RobertaTokenizer"}


def unigram(folder, texts):
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(text for text in texts if text.strip()), model_prefix=str(folder / "m"), vocab_size=WORDS,
        model_type="unigram", normalization_rule_name="nmt_nfkc", hard_vocab_limit=False, minloglevel=2)
    (folder / "m.model").rename(folder / "sentencepiece.bpe.model")
    return {"tokenizer_class": "XLMRobertaTokenizer"}


KINDS = {
    "WordPiece, lower case": ("bert", lambda folder, texts: word_pieces(folder, texts, True)),
    "WordPiece, cased": ("bert", lambda folder, texts: word_pieces(folder, texts, False)),
    "byte-level BPE": ("roberta", byte_pairs),
    "unigram": ("xlm-roberta", unigram),
}


def make_model(folder, model_type, train, texts):
    settings = train(folder, texts) | {"model_max_length": MOST}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    config = {"model_type": model_type, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1,
              "num_attention_heads": 1, "vocab_size": 2 * WORDS, "max_position_embeddings": MOST + 2, "pad_token_id": 1}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def slow_ids(folder, lines):
    import transformers

    name = json.loads((folder / "tokenizer_config.json").read_text())["tokenizer_class"]
    tokenizer = getattr(transformers, name).from_pretrained(folder)
    assert not tokenizer.is_fast, "transformers below version 5 is needed"
    return [tokenizer(line, truncation=True, max_length=MOST)["input_ids"] for line in lines]


def our_ids(dyno, folder, lines):
    given = "".join(f"{line}\n" for line in lines).encode()
    done = subprocess.run([dyno, "tokenize", "--model", folder], input=given, stdout=subprocess.PIPE, check=True)
    answers = done.stdout.decode().split("\n")[:-1]
    assert len(answers) == len(lines), f"{len(answers)} answers to {len(lines)} lines"
    return [[int(number) for number in answer.split()] for answer in answers]


def without_differences(line):
    """The line as BERT's slow tokeniser sees it, with older punctuation for the newer one."""
    known = "".join(character for character in line if unicodedata.category(character) != "Cn")
    return unicodedata.normalize("NFC", known).replace("\u061d", "\u061f")  # Arabic marks: of the text's end, of questions


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--dyno", default=str(ROOT / "target/release/dyno"))
    options.add_argument("--lines", type=int, default=100_000)
    options.add_argument("--text", type=Path, nargs="+", help="files with a line of text each; .gz as well")
    options = options.parse_args()
    files = options.text or sorted(path for path in (ROOT / "testsets").glob("*/*.??") if path.suffix in (".en", ".de"))
    texts = list(dict.fromkeys(line for path in files for line in read(path)))
    lines = make_lines(texts, options.lines)
    trained = random.Random(SEED).sample(texts, min(len(texts), 20_000)) + lines[-200:]
    failed = False
    for kind, (model_type, train) in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            make_model(folder, model_type, train, trained)
            expected, found = slow_ids(folder, lines), our_ids(options.dyno, folder, lines)
            apart = [at for at in range(len(lines)) if expected[at] != found[at]]
            wrong = apart
            if kind.startswith("WordPiece"):
                changed = [without_differences(lines[at]) for at in apart]
                again = zip(apart, slow_ids(folder, changed), our_ids(options.dyno, folder, changed))
                wrong = [at for at, slow, ours in again if slow != ours]
        print(f"{kind}: {len(lines)} lines, {len(apart) - len(wrong)} differ as explained, {len(wrong)} wrong", flush=True)
        for at in wrong[:10]:
            print(f"   {lines[at]!r}\n      slow {expected[at]}\n      ours {found[at]}")
        failed |= bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
