"""Writes one sentence encoder in the forms of the other runtimes; runs in their environment.

    encoder_models.py MODEL_DIRECTORY FOLDER LINES

FOLDER then holds `torch`, `onnx`, `onnx-int8`, `openvino-int8`, `ct2` and `ct2-int8`, each with the tokeniser and the
way of pooling, so that a folder is all that its system reads. LINES is a text by which OpenVINO's int8 form is calibrated.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import torch
from transformers import AutoConfig, AutoModel, AutoTokenizer

# Lines of the calibration, of which OpenVINO takes 300 where nobody says.
CALIBRATION = 128


class States(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        return self.model(input_ids=ids, attention_mask=mask).last_hidden_state


def pooling(model, config):
    """The mean with or without normalisation; other ways are none of this comparison."""
    modules = model / "modules.json"
    names = [module["type"].split(".")[-1] for module in json.loads(modules.read_text())] if modules.exists() else []
    if set(names) - {"Transformer", "Pooling", "Normalize"}:
        sys.exit(f"{model}: {names}: only the mean of tokens is compared")
    own = model / "1_Pooling/config.json"
    if own.exists() and not json.loads(own.read_text())["pooling_mode_mean_tokens"]:
        sys.exit(f"{own}: only the mean of tokens is compared")
    # The network's own limit, not that of sentence-transformers: long lines are to be timed, too.
    most = config.max_position_embeddings - (config.pad_token_id + 1 if "roberta" in config.model_type else 0)
    return {"normalise": "Normalize" in names, "most_tokens": most, "padding": config.pad_token_id or 0}


def onnx(model, path):
    ids = torch.randint(5, 100, (2, 16))
    axes = {name: {0: "lines", 1: "tokens"} for name in ("ids", "mask", "states")}
    torch.onnx.export(States(model), (ids, torch.ones_like(ids)), path, input_names=["ids", "mask"],
                      output_names=["states"], dynamic_axes=axes, opset_version=17, dynamo=False)


def onnx_int8(wide, path):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(wide, path, weight_type=QuantType.QInt8)


def openvino_int8(wide, path, tokeniser, lines):
    import nncf
    import openvino

    def operands(line):
        ids = np.array([tokeniser.encode(line).ids], dtype=np.int64)
        return {"ids": ids, "mask": np.ones_like(ids)}

    model = openvino.Core().read_model(wide)
    data = nncf.Dataset(lines, operands)
    quantised = nncf.quantize(model, data, model_type=nncf.ModelType.TRANSFORMER, subset_size=len(lines))
    openvino.save_model(quantised, path, compress_to_fp16=False)


def ctranslate2(model, folder, precision):
    from ctranslate2.converters import TransformersConverter

    TransformersConverter(str(model)).convert(str(folder), quantization=precision, force=True)


def main():
    model, folder, text = map(Path, sys.argv[1:])
    config = AutoConfig.from_pretrained(model)
    tokeniser = AutoTokenizer.from_pretrained(model).backend_tokenizer
    ways = pooling(model, config)
    tokeniser.no_padding()
    tokeniser.enable_truncation(ways["most_tokens"])
    network = AutoModel.from_pretrained(model, attn_implementation="eager").eval()
    forms = {name: folder / name for name in ("torch", "onnx", "onnx-int8", "openvino-int8", "ct2", "ct2-int8")}
    for form in forms.values():
        form.mkdir(parents=True)
    for name in ("config.json", "model.safetensors"):
        shutil.copy(model / name, forms["torch"])
    wide = forms["onnx"] / "model.onnx"
    onnx(network, wide)
    onnx_int8(wide, forms["onnx-int8"] / "model.onnx")
    lines = text.read_text(encoding="utf-8").splitlines()[:CALIBRATION]
    openvino_int8(wide, forms["openvino-int8"] / "model.xml", tokeniser, lines)
    ctranslate2(model, forms["ct2"], "float32")
    ctranslate2(model, forms["ct2-int8"], "int8")
    for form in forms.values():
        tokeniser.save(str(form / "tokenizer.json"))
        (form / "pooling.json").write_text(json.dumps(ways), encoding="utf-8")


if __name__ == "__main__":
    main()
