"""Greedy search over the encoder and decoder graphs that Optimum exports, for the adapters of ONNX runtimes.

A runtime gives `Search` a function from a graph's file to a `Graph`. Optimum exports one merged decoder, or a
pair: one for the first step and one for the steps after it.
"""

from pathlib import Path

import numpy as np
from generation import MOST, asked, search_of, written
from protocol import fail
from transformers import AutoTokenizer

MERGED, FIRST, NEXT = "decoder_model_merged.onnx", "decoder_model.onnx", "decoder_with_past_model.onnx"


class Graph:
    """A graph of a runtime: `inputs` are its inputs' shapes by name, `run` computes all outputs by name."""

    def __init__(self, inputs, run):
        self.inputs, self.run = inputs, run

    def __call__(self, values):
        """Runs the graph on those of `values` that it takes."""
        return self.run({name: values[name] for name in self.inputs})


class Search:
    def __init__(self, folder, opened, settings, takes_merged=True):
        folder = Path(folder)
        named = {"src_lang": settings.get("source-language"), "tgt_lang": settings.get("target-language")}
        languages = {name: language for name, language in named.items() if language}
        self.tokenizer = AutoTokenizer.from_pretrained(folder, **languages)
        self.encoder = opened(folder / "encoder_model.onnx")
        self.first, self.next = decoders(folder, opened, takes_merged)
        self.config = written(folder, "config.json") | written(folder, "generation_config.json")
        own = search_of(folder) or {}
        self.never = own.get("never", [])
        positions = self.config.get("max_position_embeddings") or 1 << 30
        self.longest = min(int(settings.get("max-length", MOST)), positions)
        self.most = min(asked(settings, own)[1], positions)
        # Word that ends a translation of the greatest length.
        self.last = self.config.get("forced_eos_token_id")
        self.forced = None
        if "target-language" in settings:
            name = settings["target-language"]
            own = getattr(self.tokenizer, "get_lang_id", self.tokenizer.convert_tokens_to_ids)
            self.forced = own(name)

    def translate(self, lines):
        batch = self.tokenizer(lines, return_tensors="np", padding=True, truncation=True,
                               max_length=self.longest)
        values = {name: batch[name].astype(np.int64) for name in ("input_ids", "attention_mask")}
        values["encoder_hidden_states"] = self.encoder(values)["last_hidden_state"]
        values["encoder_attention_mask"] = values["attention_mask"]
        return self.tokenizer.batch_decode(self.greedy(values, len(lines)), skip_special_tokens=True)

    def greedy(self, values, lines):
        """Ids of each line, chosen step by step until every line has ended."""
        end, pad = self.config["eos_token_id"], self.config["pad_token_id"]
        words = np.full((lines, 1), self.config["decoder_start_token_id"], dtype=np.int64)
        chosen, open_lines = [], np.ones(lines, dtype=bool)
        values |= self.empty_past(lines)
        for step in range(self.most):
            values |= {"input_ids": words, "use_cache_branch": np.array([step > 0])}
            told = (self.next if step else self.first)(values)
            scores = told["logits"][:, -1]
            scores[:, self.never] = -np.inf
            best = scores.argmax(axis=-1) if step or self.forced is None else np.full(lines, self.forced)
            if step == self.most - 1 and self.last is not None:
                best = np.full(lines, self.last)
            best = np.where(open_lines, best, pad)
            chosen.append(best)
            open_lines &= best != end
            if not open_lines.any():
                break
            words = best[:, None]
            # Keys and values of the source come from the first step alone.
            values |= {name.replace("present", "past_key_values"): value for name, value in told.items()
                       if name.startswith("present") and (step == 0 or ".decoder." in name)}
        return np.stack(chosen, axis=1)

    def empty_past(self, lines):
        """What a merged decoder takes as the past of its first step."""
        return {name: np.zeros((lines, shape[1], 0, shape[3]), dtype=np.float32)
                for name, shape in self.first.inputs.items() if name.startswith("past_key_values")}


def decoders(folder, opened, takes_merged):
    """Graphs of the first step and of the others; one that is merged serves both."""
    if takes_merged and (folder / MERGED).is_file():
        merged = opened(folder / MERGED)
        return merged, merged
    if not (folder / NEXT).is_file():
        fail(f"{folder} has no {NEXT}: export it with `optimum-cli export onnx --no-post-process`")
    return opened(folder / FIRST), opened(folder / NEXT)
