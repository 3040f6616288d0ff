"""OpenVINO's own way, `MODEL LINES MOST`: the decoder without a past computes whole prefixes."""

import json
import sys
from pathlib import Path

sys.path.pop(0)  # this folder has files named like the packages

import numpy as np  # noqa: E402
import openvino  # noqa: E402
from transformers import MarianTokenizer  # noqa: E402

folder, lines, most = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
tokenizer, core = MarianTokenizer.from_pretrained(folder), openvino.Core()
# Version 2026.4 keeps code by shape, and takes that of another: the scores of a prefix of 7 words beside a
# source of 55 were off by 7, after prefixes of 1 to 6. Without the cache they equal onnxruntime's.
EXACT = {"INFERENCE_PRECISION_HINT": "f32", "CPU_RUNTIME_CACHE_CAPACITY": 0}
encoder, decoder = (core.compile_model(folder / name, "CPU", EXACT)
                    for name in ["encoder_model.onnx", "decoder_model.onnx"])
config = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
end, never = config["eos_token_id"], [ids[0] for ids in config["bad_words_ids"]]


def chosen(prefix, values):
    """Id after `prefix`: the best of those that are allowed, or the end where no more fit."""
    if len(prefix) == most - 1:
        return end
    scores = decoder({"input_ids": np.array([prefix]), **values})["logits"][0, -1].copy()
    scores[never] = -np.inf
    return int(scores.argmax())


for line in lines.open(encoding="utf-8"):
    ids = np.array([tokenizer.encode(line.rstrip("\n"))])
    mask = np.ones_like(ids)
    states = encoder({"input_ids": ids, "attention_mask": mask})["last_hidden_state"]
    prefix = [config["decoder_start_token_id"]]
    while prefix[-1] != end:
        prefix.append(chosen(prefix, {"encoder_hidden_states": states, "encoder_attention_mask": mask}))
    print(tokenizer.decode(prefix, skip_special_tokens=True))
