#!/usr/bin/env python3
"""Makes the goldens of words that Hugging Face's translators find in a line before they divide it into pieces.

    ci/added-words-goldens.py     # added-words.json beside the models in backends/transformer-aan/tests/goldens/hugging-face

Needs transformers 5 and sentencepiece. `added` holds words by the distance of their ids from the vocabulary's end, as a
model's `tokenizer_config.json` has them once words were added to it; `lines` holds lines with their ids, without and with
these words.
"""

import json
import shutil
import tempfile
from pathlib import Path

import transformers

GOLDENS = Path(__file__).resolve().parents[1] / "backends/transformer-aan/tests/goldens/hugging-face"
KINDS = ["marian", "m2m"]
USUAL = {"lstrip": False, "rstrip": False, "single_word": False, "normalized": False, "special": False}
ADDED = [
    USUAL | {"content": "[NAME]"}, USUAL | {"content": "[NAME]2", "special": True},
    USUAL | {"content": "[L]", "lstrip": True}, USUAL | {"content": "[R]", "rstrip": True},
    USUAL | {"content": "[W]", "single_word": True},
]
LINES = [
    "A man </s> sees <pad> it", "<unk>", "a<unk>b", " </s> A dog", "two</s></s>words <pad>", "</s> </s>",
    "A man [NAME] sees [NAME]", "x  [NAME]  y", "[NAME", "[NAME][NAME]2 a", "[NAME]2", "a [L] b [R] c", "a [W] b[W] c",
    "<s> a <mask> b", "__de__ A dog __en__runs", ">>deu<< A [NAME] >>fra<< dog", ">>deu<<[NAME] A", "a</s>>>deu<< c",
]


def ids(folder):
    """Ids of the lines, without those of a language and of the end that the tokeniser puts around them."""
    tokeniser = transformers.AutoTokenizer.from_pretrained(folder)
    around = len(tokeniser("")["input_ids"]) - 1
    return [tokeniser(line)["input_ids"][around:-1] for line in LINES]


def golden(kind):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        shutil.copytree(GOLDENS / kind, folder)
        plain = ids(folder)
        settings = json.loads((folder / "tokenizer_config.json").read_text())
        words = json.loads((folder / "config.json").read_text())["vocab_size"]
        settings["added_tokens_decoder"] |= {str(words + at): word for at, word in enumerate(ADDED)}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
        return [list(line) for line in zip(LINES, plain, ids(folder))]


found = {"added": ADDED, "lines": {kind: golden(kind) for kind in KINDS}}
(GOLDENS / "added-words.json").write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
