"""Writes a drawn GGUF file of the network Qwen 2 in onnxruntime-genai's form, `genai.py FILE FOLDER`, in f32.

A folder of that form has the graph (attention is one of onnxruntime's own operators), genai_config.json and the
tokeniser's files as Hugging Face has them.
"""

import json
import sys
from pathlib import Path

import gguf
import numpy as np
import onnx
from gguf.quants import dequantize
from onnx import TensorProto, helper, numpy_helper

POSITIONS = 512


class Source:
    """Keys and tensors of a GGUF file."""

    def __init__(self, path):
        self.reader = gguf.GGUFReader(path)
        self.weights = {tensor.name: dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
                        for tensor in self.reader.tensors}

    def key(self, name):
        field = self.reader.fields.get(name) or self.reader.fields[f"qwen2.{name}"]
        return field.contents()


class Graph:
    """Nodes and constants; each operation returns the name of its result."""

    def __init__(self, source):
        self.source, self.nodes, self.constants = source, [], {}
        self.heads, self.key_heads = source.key("attention.head_count"), source.key("attention.head_count_kv")
        self.size = source.key("embedding_length") // self.heads
        self.epsilon = source.key("attention.layer_norm_rms_epsilon")

    def constant(self, name, array):
        self.constants.setdefault(name, numpy_helper.from_array(array, name))
        return name

    def weight(self, name):
        array = self.source.weights[name]
        return self.constant(name, np.ascontiguousarray(array.T if array.ndim == 2 else array))

    def add(self, kind, inputs, outputs=None, domain="", **attributes):
        outputs = outputs or [f"{kind}-{len(self.nodes)}"]
        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def norm(self, value, name):
        return self.add("SimplifiedLayerNormalization", [value, self.weight(name)], axis=-1, epsilon=self.epsilon)

    def linear(self, value, name):
        product = self.add("MatMul", [value, self.weight(f"{name}.weight")])
        has_bias = f"{name}.bias" in self.source.weights
        return self.add("Add", [product, self.weight(f"{name}.bias")]) if has_bias else product

    def attention(self, value, layer):
        parts = [self.linear(value, f"blk.{layer}.attn_{part}") for part in "qkv"]
        speeds = self.source.key("rope.freq_base") ** (-np.arange(0, self.size, 2) / self.size)
        angles = np.outer(np.arange(POSITIONS), speeds)
        rotation = [self.constant(f"turn-{at}", turn(angles).astype(np.float32)) for at, turn in enumerate([np.cos, np.sin])]
        past = [f"past_key_values.{layer}.{part}" for part in ["key", "value"]]
        seen = [f"present.{layer}.{part}" for part in ["key", "value"]]
        given = [*parts, *past, "lengths", "length", *rotation]
        attended = self.add("GroupQueryAttention", given, [f"attended-{layer}", *seen], "com.microsoft",
                            num_heads=self.heads, kv_num_heads=self.key_heads, do_rotary=1, rotary_interleaved=0)
        return self.linear(attended, f"blk.{layer}.attn_output")

    def feed_forward(self, value, layer):
        gate, up = (self.linear(value, f"blk.{layer}.ffn_{part}") for part in ["gate", "up"])
        swish = self.add("Mul", [gate, self.add("Sigmoid", [gate])])
        return self.linear(self.add("Mul", [swish, up]), f"blk.{layer}.ffn_down")

    def build(self):
        """The network, from ids to logits; the lengths of attention come from its mask."""
        one = self.constant("one", np.array([1], dtype=np.int64))
        total = self.add("Sub", [self.add("ReduceSum", ["attention_mask", one], keepdims=0), one])
        self.add("Cast", [total], ["lengths"], to=TensorProto.INT32)
        shape = self.add("Gather", [self.add("Shape", ["attention_mask"]), one], axis=0)
        self.add("Cast", [self.add("Squeeze", [shape])], ["length"], to=TensorProto.INT32)
        value = self.add("Gather", [self.constant("embeddings", self.source.weights["token_embd.weight"]), "input_ids"])
        for layer in range(self.source.key("block_count")):
            value = self.add("Add", [value, self.attention(self.norm(value, f"blk.{layer}.attn_norm.weight"), layer)])
            value = self.add("Add", [value, self.feed_forward(self.norm(value, f"blk.{layer}.ffn_norm.weight"), layer)])
        last = "output.weight" if "output.weight" in self.source.weights else "token_embd.weight"
        self.add("MatMul", [self.norm(value, "output_norm.weight"), self.weight(last)], ["logits"])

    def model(self):
        self.build()
        layers = range(self.source.key("block_count"))
        described = helper.make_tensor_value_info
        ids = [described(name, TensorProto.INT64, ["batch", of]) for name, of in
               [("input_ids", "words"), ("attention_mask", "all")]]
        kept = ["batch", self.key_heads, "kept", self.size]
        past, seen = ([described(f"{name}.{at}.{part}", TensorProto.FLOAT, kept) for at in layers
                       for part in ["key", "value"]] for name in ["past_key_values", "present"])
        logits = described("logits", TensorProto.FLOAT, ["batch", "words", len(self.source.key("tokenizer.ggml.tokens"))])
        graph = helper.make_graph(self.nodes, "qwen2", ids + past, [logits] + seen, list(self.constants.values()))
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def configuration(source, graph):
    """What genai_config.json says."""
    names = {"past_key_names": "past_key_values.%d.key", "past_value_names": "past_key_values.%d.value"}
    seen = {"present_key_names": "present.%d.key", "present_value_names": "present.%d.value"}
    decoder = {"session_options": {"provider_options": []}, "filename": "model.onnx", "head_size": graph.size,
               "hidden_size": source.key("embedding_length"), "num_attention_heads": graph.heads,
               "num_hidden_layers": source.key("block_count"), "num_key_value_heads": graph.key_heads,
               "inputs": {"input_ids": "input_ids", "attention_mask": "attention_mask", **names},
               "outputs": {"logits": "logits", **seen}}
    ids = {f"{name}_token_id": source.key(f"tokenizer.ggml.{name}_token_id") for name in ["bos", "eos"]}
    words = len(source.key("tokenizer.ggml.tokens"))
    return {"model": {**ids, "pad_token_id": ids["eos_token_id"], "context_length": POSITIONS, "decoder": decoder,
                      "type": "qwen2", "vocab_size": words},
            "search": {"do_sample": False, "max_length": POSITIONS, "past_present_share_buffer": True}}


def tokeniser(source):
    """What tokenizer.json says: byte-level pairs, and control words."""
    words, kinds = source.key("tokenizer.ggml.tokens"), source.key("tokenizer.ggml.token_type")
    added = [{"id": at, "content": words[at], "special": True, "single_word": False, "lstrip": False, "rstrip": False,
              "normalized": False} for at, kind in enumerate(kinds) if kind == gguf.TokenType.CONTROL]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    model = {"type": "BPE", "vocab": {word: at for at, word in enumerate(words)},
             "merges": source.key("tokenizer.ggml.merges"), "byte_fallback": False}
    return {"version": "1.0", "added_tokens": added, "normalizer": None, "pre_tokenizer": byte_level,
            "post_processor": None, "decoder": byte_level, "model": model}


def main():
    source, made = Source(sys.argv[1]), Path(sys.argv[2])
    graph = Graph(source)
    made.mkdir()
    onnx.save(graph.model(), made / "model.onnx")
    words, end = source.key("tokenizer.ggml.tokens"), source.key("tokenizer.ggml.eos_token_id")
    texts = {"genai_config.json": configuration(source, graph), "tokenizer.json": tokeniser(source),
             "tokenizer_config.json": {"tokenizer_class": "Qwen2Tokenizer", "eos_token": words[end], "add_bos_token": False,
                                       "chat_template": source.key("tokenizer.chat_template")}}
    for name, text in texts.items():
        (made / name).write_text(json.dumps(text, ensure_ascii=False), encoding="utf-8")


main()
