"""Draws the Transformers of OpenNMT's paper of 2018 as directories of Hugging Face: `reference.py FOLDER`.

The paper ran them in a framework for training. PyTorch stands for it, by the adapter `transformers`. Words are those of
dyno's own drawn models, so that all systems of the campaign write as many.
"""

import json
import sys
from pathlib import Path

from hugging_face import ZERO, configuration, write_weights
from rows import Published, frequent_words

SPECIAL = ["</s>", "<unk>", "<pad>"]
# Table 2 of the paper: N = 6, d = 512, h = 8; 34,000 words by its section 3.
ROWS = {f"transformer-{name}": Published("marian", None, words=34_000, layers=6, width=512, inner=inner, heads=8,
                                         activation="relu")
        for name, inner in {"base": 2048, "large": 4096}.items()}


def tokeniser(ids):
    """Words between blanks, and the end behind them."""
    end = {"id": "</s>", "ids": [ids["</s>"]], "tokens": ["</s>"]}
    line, last = {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}
    return {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": None, "decoder": None,
        "added_tokens": [{"id": ids[word], "content": word, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for word in SPECIAL],
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {"type": "TemplateProcessing", "single": [line, last], "pair": [line, last],
                           "special_tokens": {"</s>": end}},
        "model": {"type": "WordLevel", "vocab": ids, "unk_token": "<unk>"},
    }


def main():
    for name, row in ROWS.items():
        folder = Path(sys.argv[1]) / name
        folder.mkdir()
        ids = {word: number for number, word in enumerate(SPECIAL + frequent_words(row.words - len(SPECIAL)))}
        write_weights(folder / "model.safetensors", row, [ids[word] for word in SPECIAL if word in ZERO])
        told = configuration(row, ids)
        search = {name: value for name, value in told.items() if name.endswith("_token_id")}
        named = {"unk_token": "<unk>", "pad_token": "<pad>", "eos_token": "</s>"}
        for file, content in {
            "config.json": told,
            "generation_config.json": {"num_beams": 1, "bad_words_ids": [[ids["<pad>"]]], **search},
            "tokenizer.json": tokeniser(ids),
            "tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast", **named},
        }.items():
            (folder / file).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
