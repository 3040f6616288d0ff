"""Draws a translator at a published size as a directory of Hugging Face: `hugging_face.py ROW FOLDER`.

The weights are random, in half precision. Special words have the vector zero, as OPUS-MT's `<pad>` has it: no step
finds any of them the best, so that every system writes as many pieces as it may. Lines are divided by the vocabulary
of the shipped translator `ssru`; the other words of the vocabulary are made up.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import sentencepiece

from rows import PUBLISHED

PIECES = Path(__file__).resolve().parents[2] / "models/ssru/vocab.spm"
LANGUAGES = ["__en__", "__de__"]
# Words without a vector: their logit is 0, and some other word's is greater.
ZERO = {"</s>", "<pad>", "<unk>", *LANGUAGES}
# Chinese characters of Unicode's first block, of which words are made up.
FIRST_CHARACTER, CHARACTERS = 0x4E00, 20_000


def words(row):
    """Words by their ids, where each family has its special ones."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(PIECES))
    special = {"</s>", "<s>", "<unk>", "<pad>"}
    pieces = [processor.id_to_piece(number) for number in range(len(processor))]
    ordinary = [piece for piece in pieces if piece not in special]
    first, last = (["</s>", "<unk>"], ["<pad>"]) if row.is_marian else (["<s>", "<pad>", "</s>", "<unk>"], LANGUAGES)
    missing = row.words - len(first) - len(ordinary) - len(last)
    made_up = [f"▁{chr(FIRST_CHARACTER + at % CHARACTERS)}{at // CHARACTERS}" for at in range(missing)]
    return first + ordinary + made_up + last


def shapes(row):
    """Names and shapes of the tensors; a bias is a vector."""
    def linear(name, outputs, inputs):
        yield f"{name}.weight", (outputs, inputs)
        yield f"{name}.bias", (outputs,)

    def norm(name):
        yield f"{name}.weight", (row.width,)
        yield f"{name}.bias", (row.width,)

    yield "model.shared.weight", (row.words, row.width)
    if row.is_marian:
        yield "final_logits_bias", (1, row.words)
    for side, attentions in {"encoder": ["self_attn"], "decoder": ["self_attn", "encoder_attn"]}.items():
        for layer in (f"model.{side}.layers.{number}" for number in range(row.layers)):
            for attention in attentions:
                for part in ["q", "k", "v", "out"]:
                    yield from linear(f"{layer}.{attention}.{part}_proj", row.width, row.width)
                yield from norm(f"{layer}.{attention}_layer_norm")
            yield from linear(f"{layer}.fc1", row.inner, row.width)
            yield from linear(f"{layer}.fc2", row.width, row.inner)
            yield from norm(f"{layer}.final_layer_norm")
        if not row.is_marian:
            yield from norm(f"model.{side}.layer_norm")


def drawn(name, shape, zero, random):
    """A tensor: norms are neutral, biases zero, and products and vectors of words keep the scale of their input."""
    if len(shape) == 1 or shape[0] == 1:
        return np.full(shape, float(name.endswith("norm.weight")), np.float16)
    numbers = random.standard_normal(shape, np.float32) * shape[1] ** -0.5
    if name == "model.shared.weight":
        numbers[zero] = 0
    return numbers.astype(np.float16)


def write_weights(path, row, zero):
    """Safetensors: eight bytes with the header's length, the header as JSON, the numbers."""
    random, header, end = np.random.default_rng(1), {"__metadata__": {"format": "pt"}}, 0
    for name, shape in shapes(row):
        first, end = end, end + 2 * int(np.prod(shape))
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [first, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name, shape in shapes(row):
            drawn(name, shape, zero, random).tofile(file)


def configuration(row, ids):
    layers = {f"{side}_{what}": value for side in ["encoder", "decoder"]
              for what, value in {"layers": row.layers, "attention_heads": row.heads, "ffn_dim": row.inner}.items()}
    start = ids["<pad>"] if row.is_marian else ids["</s>"]
    return {"model_type": row.family, "vocab_size": row.words, "d_model": row.width, **layers,
            "activation_function": row.activation, "scale_embedding": True, "max_position_embeddings": 512,
            "decoder_start_token_id": start, "eos_token_id": ids["</s>"], "pad_token_id": ids["<pad>"],
            "dtype": "float16", "is_encoder_decoder": True, "tie_word_embeddings": True}


def main():
    row, folder = PUBLISHED[sys.argv[1]], Path(sys.argv[2])
    ids = {word: number for number, word in enumerate(words(row))}
    zero = [number for word, number in ids.items() if word in ZERO]
    write_weights(folder / "model.safetensors", row, zero)
    tokens = {} if row.is_marian else {"extra_special_tokens": LANGUAGES}
    for name, content in {
        "config.json": configuration(row, ids),
        "generation_config.json": {"num_beams": 1, "bad_words_ids": [[ids["<pad>"]]]},
        "vocab.json": ids,
        "tokenizer_config.json": tokens,
    }.items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    for name in ["source.spm", "target.spm"] if row.is_marian else ["sentencepiece.bpe.model"]:
        shutil.copyfile(PIECES, folder / name)


if __name__ == "__main__":
    main()
