#!/usr/bin/env python3
"""Makes the goldens of backends/encoder/tests: tiny random models of each kind, and what the originals make of them.

    ci/encoder-goldens.py [KIND ...]       # all kinds, into backends/encoder/tests/goldens

Needs torch, `transformers` (hidden states), `sentence-transformers` (pooling) and, in the interpreter that SLOW_PYTHON
names, `transformers` below version 5 with `sentencepiece`: it has the slow tokenisers, which are written in Python and
share no code with the crate `tokenizers`. Each folder holds the files of a model as Hugging Face lays them out, `ids.txt`
with the ids of the lines in `lines.json`, `tokens.f32`, the vectors of all tokens of the first lines, one after another,
and `pooler.f32`, the pooler's vector of the first line. `whole/` has the same tokenisers as tokenizer.json, `prompted.f32`
what sentence-transformers makes of the first three lines with BERT, a prompt that isn't pooled and four ways of pooling.
The models are random: no golden depends on a file from elsewhere but the captions, which train the vocabularies.
The files of a tokeniser stay as they are where they are there, because its trainer isn't deterministic.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOLDENS = ROOT / "backends/encoder/tests/goldens"
CAPTIONS = [ROOT / "testsets" / name for name in ("captions-en-de", "photos-en-de")]  # public domain
SEED = 7
VECTORS = 11  # lines whose vectors are kept; the slow and the fast tokenisers agree on them

SHAPE = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}

# Kind: class of the configuration, its own settings, tokeniser.
KINDS = {
    "bert": ("BertConfig", {"max_position_embeddings": 40, "hidden_act": "gelu"}, "wordpiece"),
    "bert-cased": ("BertConfig", {"max_position_embeddings": 40, "hidden_act": "gelu_new"}, "cased"),
    "roberta": ("RobertaConfig", {"max_position_embeddings": 42, "type_vocab_size": 1}, "bytes"),
    "xlm-roberta": ("XLMRobertaConfig", {"max_position_embeddings": 42, "type_vocab_size": 1}, "unigram"),
    "roberta-prelayernorm": ("RobertaPreLayerNormConfig", {"max_position_embeddings": 42, "type_vocab_size": 1}, "bytes"),
    # Sizes that no kernel likes, the other spelling of tanh's GELU, and three token types.
    "bert-odd": (
        "BertConfig",
        {"hidden_size": 30, "num_attention_heads": 3, "intermediate_size": 37, "num_hidden_layers": 3, "type_vocab_size": 3,
         "max_position_embeddings": 37, "hidden_act": "gelu_pytorch_tanh", "layer_norm_eps": 1e-5},
        "wordpiece",
    ),
    # MiniLM is a BERT with many narrow heads; here as a part of a larger network, with the oldest names of norms.
    "minilm": (
        "BertConfig",
        {"hidden_size": 24, "num_attention_heads": 12, "intermediate_size": 96, "num_hidden_layers": 6,
         "max_position_embeddings": 40},
        "wordpiece",
    ),
    "distilbert": (
        "DistilBertConfig",
        {"dim": 32, "hidden_dim": 48, "n_layers": 2, "n_heads": 4, "max_position_embeddings": 40},
        "wordpiece",
    ),
}


def captions():
    texts = []
    for folder in CAPTIONS:
        for name in ("source.en", "reference.de"):
            texts += (folder / name).read_text(encoding="utf-8").splitlines()
    return texts


def lines():
    """Usual lines, and all that tokenisers treat in ways of their own."""
    usual = captions()[:6]
    odd = [
        "",
        " ",
        "a",
        "  two  blanks\tand a tab ",
        "UPPER Case, naïve café; ÅNGSTRÖM Straße İstanbul",
        "e\u0301 combining a\u0308\u0323o",
        "don't can't I'm we've they'll she'd it's 'tis 'S",
        "3.14 1,000 50% $9.99 a-b_c/d\\e f@g.h #i",
        "中文字符 混合 English 日本語のテキスト 한국어 텍스트",
        "\U0001f600 emoji \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea",
        "שלום עולם مرحبا بالعالم नमस्ते दुनिया สวัสดีชาวโลก",
        "zero\u200bwidth soft\u00adhyphen no\u00a0break thin\u2009space ideographic\u3000space",
        "ﬁ ligature ½ fraction ² ① Ⅷ ﾊﾝｶｸ ＦＵＬＬ",
        "\ufeffbom line\u2028separator \u2029 paragraph \x07bell \x1bescape \x7fdelete \u0085next",
        "[CLS] [SEP] [MASK] [PAD] [UNK] <s> </s> <pad> <unk> <mask>",
        "[cls] <S> [ MASK ] <mask>x x<mask> x <mask> y",
        "punctuation «guillemets» „quotes“ — dash … ellipsis ¿que? ¡si! 。、・",
        "`~!@#$%^&*()_+-={}[]|\\:;\"'<>,.?/",
        "a" * 150,
        "supercalifragilisticexpialidocious " * 8,
        "\U00020000\U0002a6d6 rare ideographs \U0001d54f\U0001d53c math",
        "ΣΑΣ ΟΔΥΣΣΕΥΣ final sigma",
        "x\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307 stacked",
        "unknown \ue000 private \U000e0041 tag \ufffd replacement",
        "mixed12ab34 v2.0beta-1 2024-01-02T03:04:05Z",
        "\u00df \u1e9e \u0130 \u0131 \u017f \u212a \u2126",
    ]
    return usual + odd


def train(kind, folder):
    """Writes the files of a tokeniser, trained on captions."""

    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    texts = captions() + lines()[:16]
    if kind in ("wordpiece", "cased"):
        lower = kind == "wordpiece"
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=500, special_tokens=special, show_progress=False))
        vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
        (folder / "vocab.txt").write_text("".join(f"{word}\n" for word, _ in vocabulary), encoding="utf-8")
        settings = {"do_lower_case": lower, "tokenizer_class": "BertTokenizer", "model_max_length": 36}
    elif kind == "bytes":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        tokenizer.train_from_iterator(
            texts, trainers.BpeTrainer(vocab_size=600, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
        )
        tokenizer.model.save(str(folder))
        settings = {"tokenizer_class": "RobertaTokenizer", "model_max_length": 36}
    else:
        import sentencepiece

        with tempfile.TemporaryDirectory() as temporary:
            text = Path(temporary) / "text"
            text.write_text("\n".join(line for line in texts if line.strip()), encoding="utf-8")
            sentencepiece.SentencePieceTrainer.train(
                input=str(text), model_prefix=f"{temporary}/m", vocab_size=400, model_type="unigram",
                normalization_rule_name="nmt_nfkc", hard_vocab_limit=False, minloglevel=2,
            )
            (folder / "sentencepiece.bpe.model").write_bytes((Path(temporary) / "m.model").read_bytes())
        settings = {"tokenizer_class": "XLMRobertaTokenizer", "model_max_length": 36}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings) + "\n", encoding="utf-8")


SLOW = """
import json, sys
from transformers import BertTokenizer, RobertaTokenizer, XLMRobertaTokenizer
kinds = {"wordpiece": BertTokenizer, "cased": BertTokenizer, "bytes": RobertaTokenizer, "unigram": XLMRobertaTokenizer}
kind, folder = sys.argv[1:]
tokenizer = kinds[kind].from_pretrained(folder)
assert not tokenizer.is_fast
for line in json.load(sys.stdin):
    print(*tokenizer(line, truncation=True, max_length=36)["input_ids"])
print(len(tokenizer), file=sys.stderr)
"""


def slow_ids(kind, folder):
    """Ids of the lines by the slow tokeniser, and the size of its vocabulary."""
    python = os.environ.get("SLOW_PYTHON", sys.executable)
    given = json.dumps(lines())
    done = subprocess.run([python, "-c", SLOW, kind, folder], input=given, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    ids = [[int(number) for number in line.split()] for line in done.stdout.splitlines()]
    return ids, int(done.stderr.split()[-1])


def make(name):
    import torch
    import transformers
    from safetensors.torch import save_file

    kind_of_config, own, tokens = KINDS[name]
    folder = GOLDENS / name
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "tokenizer_config.json").exists():
        train(tokens, folder)
    ids, words = slow_ids(tokens, folder)
    base = {} if name == "distilbert" else SHAPE
    config = getattr(transformers, kind_of_config)(vocab_size=words, **{**base, **own})
    torch.manual_seed(SEED)
    model = transformers.AutoModel.from_config(config, attn_implementation="eager").eval()
    for parameter in model.parameters():  # far from zero, so that every part matters
        parameter.data.add_(torch.randn_like(parameter) * 0.15)
    config.save_pretrained(folder)
    state = {key: value.contiguous() for key, value in model.state_dict().items() if not key.endswith("position_ids")}
    if name == "minilm":
        old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
        rename = lambda key: next((key.removesuffix(new) + of for new, of in old.items() if key.endswith(new)), key)
        state = {f"bert.{rename(key)}": value for key, value in state.items()}
        state["cls.predictions.bias"] = torch.zeros(words)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    vectors = b""
    with torch.no_grad():
        for line in ids[:VECTORS]:
            state = model(torch.tensor([line])).last_hidden_state[0]
            vectors += state.numpy().astype("<f4").tobytes()
        pooled = model(torch.tensor([ids[0]])).get("pooler_output")
        if pooled is not None:
            (folder / "pooler.f32").write_bytes(pooled[0].numpy().astype("<f4").tobytes())
    (folder / "tokens.f32").write_bytes(vectors)
    (folder / "ids.txt").write_text("".join(" ".join(map(str, line)) + "\n" for line in ids), encoding="utf-8")
    print(f"{name}: {words} words, {sum(file.stat().st_size for file in folder.iterdir()) // 1024} KiB")


WHOLE = """
import sys
from transformers import BertTokenizerFast, RobertaTokenizerFast, XLMRobertaTokenizerFast
kinds = {"bert": BertTokenizerFast, "roberta": RobertaTokenizerFast, "xlm-roberta": XLMRobertaTokenizerFast}
goldens, to = sys.argv[1:]
for kind, made in kinds.items():
    tokenizer = made.from_pretrained(f"{goldens}/{kind}").backend_tokenizer
    tokenizer.enable_truncation(7)  # as files often say; the model's own length counts
    tokenizer.enable_padding(length=9)
    tokenizer.save(f"{to}/{kind}.json", pretty=False)
"""


def make_whole():
    """The tokenisers as tokenizer.json."""
    folder = GOLDENS / "whole"
    folder.mkdir(exist_ok=True)
    python = os.environ.get("SLOW_PYTHON", sys.executable)
    subprocess.run([python, "-c", WHOLE, GOLDENS, folder], check=True)


# The files of sentence-transformers that tests/it/pooling.rs writes as well.
MODULES = {
    "modules.json": [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ],
    "1_Pooling/config.json": {
        "word_embedding_dimension": 32,
        "pooling_mode_cls_token": True,
        "pooling_mode_max_tokens": True,
        "pooling_mode_mean_tokens": True,
        "pooling_mode_mean_sqrt_len_tokens": True,
        "include_prompt": False,
    },
    "sentence_bert_config.json": {"max_seq_length": 36, "do_lower_case": False},
    "config_sentence_transformers.json": {"prompts": {"ask": "a fresh lemon: "}, "default_prompt_name": "ask"},
}


def make_prompted():
    """Vectors of sentence-transformers itself, which pools after the prompt."""
    import shutil

    from sentence_transformers import SentenceTransformer

    with tempfile.TemporaryDirectory() as temporary:
        model = Path(temporary) / "model"
        shutil.copytree(GOLDENS / "bert", model)
        for name, content in MODULES.items():
            (model / name).parent.mkdir(exist_ok=True)
            (model / name).write_text(json.dumps(content), encoding="utf-8")
        vectors = SentenceTransformer(str(model), device="cpu").encode(lines()[:3])
    (GOLDENS / "prompted.f32").write_bytes(vectors.astype("<f4").tobytes())


def main():
    GOLDENS.mkdir(parents=True, exist_ok=True)
    (GOLDENS / "lines.json").write_text(json.dumps(lines(), indent=0) + "\n", encoding="utf-8")
    for name in sys.argv[1:] or KINDS:
        make(name)
    make_whole()
    make_prompted()


if __name__ == "__main__":
    main()
