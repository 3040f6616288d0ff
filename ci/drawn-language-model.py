#!/usr/bin/env python3
"""Draws a language model at random, for speed alone, with the vocabulary and the chat of another one.

    ci/drawn-language-model.py 1b VOCABULARY.gguf drawn-1b.gguf     # 0.6 GB
    ci/drawn-language-model.py 4b VOCABULARY.gguf drawn-4b.gguf     # 2.1 GB

Sizes are those of Llama 3.2 1B and Qwen 3 4B; weights are in Q4_0, embeddings in Q8_0. Any engine takes as long for drawn
weights as for trained ones, but what the model says is noise. Needs the packages `gguf` and `numpy`. A model on disk is
the same for everybody: the draw has a seed.
"""

import sys

import gguf
import numpy as np

Q4, Q8 = gguf.GGMLQuantizationType.Q4_0, gguf.GGMLQuantizationType.Q8_0
# Values and bytes of a block, whose first two bytes are its scale; standard deviation of uniform codes in both formats.
BLOCKS = {Q4: (32, 18, 4.61), Q8: (32, 34, 73.9)}
# Layers, width, inner width, heads, heads of keys, size of a head, architecture.
SIZES = {"1b": (16, 2048, 8192, 32, 8, 64, "llama"), "4b": (36, 2560, 9728, 32, 8, 128, "qwen3")}


class Drawing:
    def __init__(self, size, vocabulary, made):
        self.layers, self.width, self.inner, self.heads, self.key_heads, self.head, self.kind = SIZES[size]
        self.random, self.source = np.random.default_rng(1), gguf.GGUFReader(vocabulary)
        self.made = gguf.GGUFWriter(made, self.kind, use_temp_file=True)

    def keys(self):
        made = self.made
        made.add_block_count(self.layers)
        made.add_context_length(4096)
        made.add_embedding_length(self.width)
        made.add_feed_forward_length(self.inner)
        made.add_head_count(self.heads)
        made.add_head_count_kv(self.key_heads)
        made.add_key_length(self.head)
        made.add_value_length(self.head)
        made.add_layer_norm_rms_eps(1e-5)
        made.add_rope_freq_base(500000.0)
        made.add_rope_dimension_count(self.head)
        made.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)
        for key, field in self.source.fields.items():
            if key.startswith("tokenizer."):
                of = field.types[-1] if len(field.types) > 1 else None
                made.add_key_value(key, field.contents(), field.types[0], of)

    def matrix(self, name, rows, columns, form=Q4):
        """A matrix whose products keep the size of what they multiply."""
        values, size, spread = BLOCKS[form]
        blocks = rows * columns // values
        drawn = self.random.integers(0, 256, (blocks, size), dtype=np.uint8)
        drawn[:, :2] = np.frombuffer(np.float16(1 / (spread * columns**0.5)).tobytes(), dtype=np.uint8)
        self.made.add_tensor(f"{name}.weight", drawn.reshape(rows, -1), raw_dtype=form)

    def ones(self, name, size):
        self.made.add_tensor(f"{name}.weight", np.ones(size, dtype=np.float32))

    def layer(self, at):
        own, keys = self.heads * self.head, self.key_heads * self.head
        shapes = {"attn_q": (own, self.width), "attn_k": (keys, self.width), "attn_v": (keys, self.width),
                  "attn_output": (self.width, own), "ffn_gate": (self.inner, self.width),
                  "ffn_up": (self.inner, self.width), "ffn_down": (self.width, self.inner)}
        for name, shape in shapes.items():
            self.matrix(f"blk.{at}.{name}", *shape)
        for name in ["attn_norm", "ffn_norm"]:
            self.ones(f"blk.{at}.{name}", self.width)
        for name in ["attn_q_norm", "attn_k_norm"] if self.kind == "qwen3" else []:
            self.ones(f"blk.{at}.{name}", self.head)

    def draw(self):
        self.keys()
        words = len(self.source.fields["tokenizer.ggml.tokens"].data)
        self.matrix("token_embd", words, self.width, Q8)
        self.ones("output_norm", self.width)
        for at in range(self.layers):
            self.layer(at)
        self.made.write_header_to_file()
        self.made.write_kv_data_to_file()
        self.made.write_tensors_to_file()
        self.made.close()


def main():
    size, vocabulary, made = sys.argv[1:]
    Drawing(size, vocabulary, made).draw()


if __name__ == "__main__":
    main()
