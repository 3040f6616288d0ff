"""Converts MarianMT (OPUS-MT) and M2M-100 (NLLB-200) directories of Hugging Face into CTranslate2's form.

    convert.py MODEL FOLDER precision=int8

CTranslate2's own converter needs PyTorch, some gigabytes. This one reads the safetensors by numpy and fills
the same specification. T5 (MADLAD) and other families: convert them by CTranslate2's command, and name its
folder as the model.
"""

import json
import math
import os
import shutil
import sys
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy as np
import safetensors.numpy
from ctranslate2.specs import common_spec, transformer_spec
from generation import KEPT, search_of

# Rows of the table of positions: twice the adapter's longest line.
POSITIONS = 2048
ACTIVATIONS = {"relu": "RELU", "gelu": "GELU", "swish": "SWISH", "silu": "SWISH", "gelu_new": "GELUTanh"}
PAD = "<pad>"
# So improbable that no search chooses it.
NEVER = -1e9
# Languages of M2M-100 in the order of their tokens, which its directories may leave to `transformers`.
LANGUAGES = """
    af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr ht
    hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl
    ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu"""


class Source:
    """A directory of Hugging Face."""

    def __init__(self, folder):
        self.folder = folder
        if not (folder / "config.json").is_file():
            sys.exit(f"{folder} has no config.json: name a directory of Hugging Face, or of CTranslate2")
        self.config = self.json("config.json")
        if self.config.get("model_type") not in ("marian", "m2m_100"):
            sys.exit(f"model_type {self.config.get('model_type')!r}: convert it by ct2-transformers-converter, "
                     "and name the folder that it writes as the model")
        self.is_marian = self.config["model_type"] == "marian"
        files = sorted(folder.glob("*.safetensors"))
        if not files:
            sys.exit(f"{folder} has no safetensors: load the model with `transformers`, and save it by "
                     "save_pretrained")
        self.arrays = {}
        for file in files:
            self.arrays |= safetensors.numpy.load_file(file)

    def json(self, name):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def array(self, *names):
        """The first of `names` that is there: tied weights are stored once, under one of their names."""
        found = next((name for name in names if name in self.arrays), None)
        if found is None:
            sys.exit(f"{self.folder} has no tensor {names[0]}: the file is not of its family")
        return self.arrays[found].astype(np.float32)

    def embeddings(self, side):
        return self.array(f"model.{side}.embed_tokens.weight", "model.shared.weight")

    def words(self, side, rows):
        """Tokens by their ids, as many as the embeddings have rows."""
        separate = side == "decoder" and (self.folder / "target_vocab.json").is_file()
        if separate or (self.folder / "vocab.json").is_file():
            ids = self.json("target_vocab.json" if separate else "vocab.json")
        else:
            tokenizer = self.json("tokenizer.json")
            vocabulary = tokenizer["model"]["vocab"]
            if not isinstance(vocabulary, dict):
                vocabulary = {word: at for at, (word, _) in enumerate(vocabulary)}
            ids = vocabulary | {added["content"]: added["id"] for added in tokenizer["added_tokens"]}
        words = sorted(ids, key=ids.get)
        more = self.languages() if not self.is_marian else []
        words += [word for word in more if word not in ids]
        return (words + [f"madeupword{at}" for at in range(rows - len(words))])[:rows]

    def languages(self):
        """Tokens of languages that follow the words."""
        for name in ["tokenizer_config.json", "special_tokens_map.json"]:
            told = self.json(name) if (self.folder / name).is_file() else {}
            if more := told.get("extra_special_tokens") or told.get("additional_special_tokens"):
                return more
        return [f"__{language}__" for language in LANGUAGES.split()]


def positions(source):
    """Sinusoids: MarianMT divides the exponent by d/2, M2M-100 by d/2 − 1 and begins at position 2."""
    width = source.config["d_model"]
    half = width // 2
    first, divisor = (0, half) if source.is_marian else (2, half - 1)
    rates = np.exp(np.arange(half) * -math.log(10000) / divisor)
    angles = np.arange(first, first + POSITIONS)[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


def linear(spec, source, *names):
    """One product; those of several names are joined."""
    spec.weight = np.concatenate([source.array(f"{name}.weight") for name in names])
    spec.bias = np.concatenate([source.array(f"{name}.bias") for name in names])


def norm(spec, source, name):
    spec.gamma, spec.beta = source.array(f"{name}.weight"), source.array(f"{name}.bias")


def attention(spec, source, name, own):
    query, key, value, out = (f"{name}.{part}_proj" for part in ("q", "k", "v", "out"))
    if own:
        linear(spec.linear[0], source, query, key, value)
    else:
        linear(spec.linear[0], source, query)
        linear(spec.linear[1], source, key, value)
    linear(spec.linear[-1], source, out)
    norm(spec.layer_norm, source, f"{name}_layer_norm")


def layers(specs, source, side):
    for at, spec in enumerate(specs):
        name = f"model.{side}.layers.{at}"
        attention(spec.self_attention, source, f"{name}.self_attn", own=True)
        if side == "decoder":
            attention(spec.attention, source, f"{name}.encoder_attn", own=False)
        linear(spec.ffn.linear_0, source, f"{name}.fc1")
        linear(spec.ffn.linear_1, source, f"{name}.fc2")
        norm(spec.ffn.layer_norm, source, f"{name}.final_layer_norm")


def side(spec, embeddings, source, name, table):
    """Encoder or decoder. Returns its words."""
    embeddings.weight = source.embeddings(name)
    scales = source.config.get("scale_embedding")
    spec.scale_embeddings = math.sqrt(source.config["d_model"]) if scales else 1.0
    spec.position_encodings.encodings = table
    layers(spec.layer, source, name)
    if not source.is_marian:
        norm(spec.layer_norm, source, f"model.{name}.layer_norm")
    return source.words(name, len(embeddings.weight))


def projection(spec, source, words):
    """The output layer. MarianMT's decoder begins with <pad> and never writes it."""
    spec.weight = source.array("lm_head.weight", "model.decoder.embed_tokens.weight", "model.shared.weight")
    if source.is_marian:
        spec.bias = source.array("final_logits_bias").reshape(-1).copy()
        spec.bias[words.index(PAD)] = NEVER


def specification(source):
    config = source.config
    if config["activation_function"] not in ACTIVATIONS:
        sys.exit(f"activation_function {config['activation_function']!r} is none that this converter knows")
    spec = transformer_spec.TransformerSpec.from_config(
        (config["encoder_layers"], config["decoder_layers"]), config["encoder_attention_heads"],
        pre_norm=not source.is_marian, layernorm_embedding=False,
        activation=getattr(common_spec.Activation, ACTIVATIONS[config["activation_function"]]))
    table = positions(source)
    spec.register_source_vocabulary(side(spec.encoder, spec.encoder.embeddings[0], source, "encoder", table))
    words = side(spec.decoder, spec.decoder.embeddings, source, "decoder", table)
    spec.register_target_vocabulary(words)
    projection(spec.decoder.projection, source, words)
    spec.config.unk_token, spec.config.eos_token = "<unk>", "</s>"
    spec.config.decoder_start_token = words[config["decoder_start_token_id"]]
    return spec


def searched(source):
    """The search that the directory asks for, with words instead of ids. <pad> has its own way, in `projection`."""
    search = search_of(source.folder)
    words = source.words("decoder", len(source.embeddings("decoder")))
    search["never"] = [words[word] for word in search["never"] if words[word] != PAD]
    return search


def main():
    folder, made = map(Path, sys.argv[1:3])
    settings = dict(setting.split("=", 1) for setting in sys.argv[3:])
    source = Source(folder)
    spec = specification(source)
    spec.validate()
    spec.optimize(quantization=None if settings["precision"] == "default" else settings["precision"])
    made.mkdir()
    spec.save(str(made))
    (made / KEPT).write_text(json.dumps(searched(source)), encoding="utf-8")
    for name in ["source.spm", "target.spm", "sentencepiece.bpe.model"]:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, made / name)


main()
