"""Lays a MarianMT directory out as OPUS-MT's, `opus.py FROM TO`: <pad> becomes last, its vector zero."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import safetensors.numpy

source, made = map(Path, sys.argv[1:])
made.mkdir()
ids = json.loads((source / "vocab.json").read_text(encoding="utf-8"))
pad = ids["<pad>"]
order = [at for at in range(len(ids)) if at != pad] + [pad]  # the old id of each new one
new = {old: at for at, old in enumerate(order)}


def renumbered(value, name=""):
    """Ids of words in a configuration."""
    if isinstance(value, dict):
        return {key: renumbered(one, key) for key, one in value.items()}
    if name == "bad_words_ids":
        return [[new[pad]]]
    return new[value] if name.endswith("_token_id") and value is not None else value


(made / "vocab.json").write_text(json.dumps({word: new[at] for word, at in ids.items()}), encoding="utf-8")
for name in ["config.json", "generation_config.json"]:
    told = renumbered(json.loads((source / name).read_text(encoding="utf-8")))
    if "max_position_embeddings" in told:
        told["max_position_embeddings"] = 512  # as OPUS-MT has it: sinusoids are computed, not stored
    (made / name).write_text(json.dumps(told), encoding="utf-8")
told = json.loads((source / "tokenizer_config.json").read_text(encoding="utf-8"))
added = told["added_tokens_decoder"]
told["added_tokens_decoder"] = {str(new[int(at)]): token for at, token in added.items()}
(made / "tokenizer_config.json").write_text(json.dumps(told), encoding="utf-8")
arrays = safetensors.numpy.load_file(source / "model.safetensors")
arrays["model.shared.weight"] = arrays["model.shared.weight"][order]
arrays["model.shared.weight"][-1] = 0
# A word that ends in <unk> reads differently in each engine, and every engine but PyTorch's forbids it.
arrays["final_logits_bias"] = arrays["final_logits_bias"][:, order]
arrays["final_logits_bias"][0, new[ids["<unk>"]]] = -1e4
safetensors.numpy.save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()},
                            made / "model.safetensors", metadata={"format": "pt"})
for name in ["source.spm", "target.spm"]:
    shutil.copyfile(source / name, made / name)
