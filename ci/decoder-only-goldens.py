#!/usr/bin/env python3
"""Small drawn GGUF models of each family, with what llama.cpp makes of them: goldens of `decoder-only`.

    pip install gguf==0.19.0 tokenizers numpy
    LLAMA_CPP=FOLDER python3 ci/decoder-only-goldens.py

writes models and `NAME.json` (ids of lines, logits after some words) into backends/decoder-only/tests/goldens.
Four models have weights in 16 bits, so that their networks are compared closely; three have all quantised formats. The words come from BPE training on the licences, the weights from a seed. Blocks of the K formats,
which the package can't quantise into, are random bytes with scales of the right size.
"""

import json
import pathlib
import sys

import gguf
import numpy as np
from gguf.constants import GGMLQuantizationType as Type
from gguf.quants import quantize
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import llama_cpp  # noqa: E402

ROOT = pathlib.Path(__file__).parent.parent
TO = ROOT / "backends/decoder-only/tests/goldens"
TEXT = [str(ROOT / "LICENSE-APACHE"), str(ROOT / "LICENSE-MIT")]  # texts that never change
NORMAL, UNKNOWN, CONTROL, OF_USERS, BYTE = 1, 2, 3, 4, 6
LINES = [
    "The bench measures any program that translates lines.",
    "  two  spaces, and a tab\tand end   ",
    "don't we'll I'M 12345 3.14 1,000,000",
    "Grüße aus Köln – naïve café, 東京 и Москва!",
    "👩‍👩‍👧 emoji, e\u0301 combining, \u00a0 nbsp, \u3000 wide",
    "<|im_start|>user <s> </s> <end_of_turn> <|user|> is text",
    "a\n\nb\r\n  c",
    "???!!!...---===\\\\//",
    "",
    " ",
    "x",
]
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
GEMMA = (
    "{{ bos_token }}{% for message in messages %}{{ '<start_of_turn>' + message['role'] + '\n' "
    "+ message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)


def trained(prepare, alphabet, words, special=()):
    """Pieces and merges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = prepare
    trainer = trainers.BpeTrainer(vocab_size=words, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train(TEXT, trainer)
    state = json.loads(tokenizer.to_str())["model"]
    pieces = sorted(state["vocab"], key=state["vocab"].get)
    return pieces, [" ".join(pair) for pair in state["merges"]]


def byte_pairs(writer, division, controls, of_users):
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    pieces, merges = trained(pre_tokenizers.ByteLevel(add_prefix_space=False), alphabet, 330)
    words = controls + pieces + of_users
    kinds = [CONTROL] * len(controls) + [NORMAL] * len(pieces) + [OF_USERS] * len(of_users)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(division)
    writer.add_token_list(words)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_add_bos_token(False)
    return len(words)


def sentence_pieces(writer, controls, of_users, space_first):
    prepare = pre_tokenizers.Metaspace(prepend_scheme="never")
    pieces, _ = trained(prepare, ["▁"], 200)
    words = ["<unk>", "<s>", "</s>"] + controls + of_users
    kinds = [UNKNOWN, CONTROL, CONTROL] + [CONTROL] * len(controls) + [OF_USERS] * len(of_users)
    words += [f"<0x{byte:02X}>" for byte in range(256)]
    kinds += [BYTE] * 256
    first = len(words)
    words += pieces
    kinds += [NORMAL] * len(pieces)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(words)
    writer.add_token_types(kinds)
    writer.add_token_scores([0.0] * first + [-float(at) for at in range(len(pieces))])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(space_first)
    return len(words)


def k_blocks(random, kind, rows, columns):
    """Random blocks whose values have about the size of weights."""
    size, scales = {Type.Q4_K: (144, [0, 2]), Type.Q5_K: (176, [0, 2]), Type.Q6_K: (210, [208])}[kind]
    blocks = random.integers(0, 256, (rows * columns // 256, size), dtype=np.uint8)
    unit = {Type.Q4_K: 1 / 8, Type.Q5_K: 1 / 16, Type.Q6_K: 1 / 1000}[kind] / np.sqrt(columns) / 32
    for at, factor in zip(scales, [1, 7.5 if kind == Type.Q4_K else 15.5]):
        values = (unit * factor * random.uniform(0.5, 1.5, len(blocks))).astype(np.float16)
        blocks[:, at : at + 2] = values[:, None].view(np.uint8)
    return blocks.reshape(rows, -1)


class Drawn:
    """A writer of one model; formats are taken in turn."""

    def __init__(self, name, architecture, formats, width, layers, heads, key_heads, inner, head=None):
        self.path = TO / f"{name}.gguf"
        self.random = np.random.default_rng(sum(name.encode()))
        self.writer = gguf.GGUFWriter(self.path, architecture)
        self.formats, self.turn = formats, 0
        self.width, self.layers, self.inner = width, layers, inner
        self.head = head or width // heads
        self.queries, self.keys = heads * self.head, key_heads * self.head
        writer = self.writer
        writer.add_block_count(layers)
        writer.add_context_length(256)
        writer.add_embedding_length(width)
        writer.add_feed_forward_length(inner)
        writer.add_head_count(heads)
        writer.add_head_count_kv(key_heads)
        writer.add_layer_norm_rms_eps(1e-6)
        if head:
            writer.add_key_length(head)
            writer.add_value_length(head)

    def matrix(self, name, rows, columns, scale=1.5):
        kind = self.formats[self.turn % len(self.formats)]
        self.turn += 1
        if kind in (Type.Q4_K, Type.Q5_K, Type.Q6_K):
            data = k_blocks(self.random, kind, rows, columns)
        else:
            values = self.random.normal(0, scale / np.sqrt(columns), (rows, columns)).astype(np.float32)
            data = quantize(values, kind)
        self.writer.add_tensor(name, data, raw_dtype=kind)

    def vector(self, name, length, around=1.0):
        values = (around + 0.2 * self.random.normal(size=length)).astype(np.float32)
        self.writer.add_tensor(name, values)

    def tensors(self, words, tied=True, biases=False, head_norms=False, after=False):
        self.matrix("token_embd.weight", words, self.width, 3.0)
        self.vector("output_norm.weight", self.width)
        if not tied:
            self.matrix("output.weight", words, self.width, 3.0)
        for layer in range(self.layers):
            of = f"blk.{layer}.".__add__
            self.vector(of("attn_norm.weight"), self.width)
            self.matrix(of("attn_q.weight"), self.queries, self.width)
            self.matrix(of("attn_k.weight"), self.keys, self.width)
            self.matrix(of("attn_v.weight"), self.keys, self.width)
            self.matrix(of("attn_output.weight"), self.width, self.queries)
            self.vector(of("ffn_norm.weight"), self.width)
            self.matrix(of("ffn_gate.weight"), self.inner, self.width)
            self.matrix(of("ffn_up.weight"), self.inner, self.width)
            self.matrix(of("ffn_down.weight"), self.width, self.inner)
            if biases:
                for name, length in [("q", self.queries), ("k", self.keys), ("v", self.keys)]:
                    self.vector(of(f"attn_{name}.bias"), length, 0.0)
            if head_norms:
                self.vector(of("attn_q_norm.weight"), self.head)
                self.vector(of("attn_k_norm.weight"), self.head)
            if after:
                self.vector(of("post_attention_norm.weight"), self.width)
                self.vector(of("post_ffw_norm.weight"), self.width)

    def finish(self):
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_tensors_to_file()
        self.writer.close()
        model = llama_cpp.Model(self.path, context=256)
        ids = self.random.integers(3, model.count, 40).tolist()
        logits = []
        model.clear()
        for start, end in [(0, 1), (1, 17), (17, 40)]:
            logits.append([round(float(x), 4) for x in model.logits(ids[start:end])])
        result = {
            "lines": [[line, model.tokens(line, control=False)] for line in LINES],
            "ids": ids,
            "after": [1, 17, 40],
            "logits": logits,
        }
        self.path.with_suffix(".json").write_text(json.dumps(result, ensure_ascii=False) + "\n")


CHAT_WORDS = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
TO.mkdir(parents=True, exist_ok=True)

drawn = Drawn("llama", "llama", [Type.F16, Type.BF16, Type.F32], 64, 2, 4, 2, 96)
drawn.writer.add_rope_freq_base(500000.0)
drawn.vector("rope_freqs.weight", 8, 2.0)
drawn.tensors(sentence_pieces(drawn.writer, [], [], True), tied=False)
drawn.finish()

drawn = Drawn("smollm", "llama", [Type.Q4_K, Type.Q5_K, Type.Q6_K], 256, 1, 8, 4, 256)
drawn.writer.add_chat_template(CHATML)
drawn.tensors(byte_pairs(drawn.writer, "smollm", CHAT_WORDS, []))
drawn.finish()

drawn = Drawn("fives", "llama", [Type.Q5_0, Type.Q5_1], 64, 2, 4, 2, 96)
drawn.writer.add_chat_template(CHATML)
drawn.tensors(byte_pairs(drawn.writer, "smollm", CHAT_WORDS, []))
drawn.finish()

drawn = Drawn("qwen2", "qwen2", [Type.F16], 64, 2, 4, 2, 64)
drawn.writer.add_rope_freq_base(1000000.0)
drawn.writer.add_chat_template(CHATML)
drawn.tensors(byte_pairs(drawn.writer, "qwen2", CHAT_WORDS, ["<tool>"]), biases=True)
drawn.finish()

drawn = Drawn("qwen3", "qwen3", [Type.Q8_0, Type.Q4_1, Type.Q4_0], 64, 2, 4, 2, 96, head=32)
drawn.writer.add_rope_freq_base(1000000.0)
drawn.writer.add_chat_template(CHATML)
drawn.tensors(byte_pairs(drawn.writer, "gpt-2", CHAT_WORDS, []), head_norms=True)
drawn.finish()

drawn = Drawn("smollm3", "smollm3", [Type.F16], 64, 4, 4, 2, 64)
drawn.writer.add_chat_template(CHATML)
drawn.tensors(byte_pairs(drawn.writer, "llama-bpe", CHAT_WORDS, []))
drawn.finish()

drawn = Drawn("gemma3", "gemma3", [Type.F16], 64, 7, 4, 1, 64, head=32)
drawn.writer.add_rope_freq_base(1000000.0)
drawn.writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
drawn.writer.add_rope_scaling_factor(8.0)
drawn.writer.add_sliding_window(8)
drawn.writer.add_chat_template(GEMMA)
words = sentence_pieces(drawn.writer, ["<start_of_turn>", "<end_of_turn>"], ["\n\n", "▁▁"], False)
drawn.tensors(words, head_norms=True, after=True)
drawn.finish()
