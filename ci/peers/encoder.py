"""A runtime of sentence encoders as a system: a line in, base64 of the vector's little-endian f32 out.

    encoder.py RUNTIME MODEL TRACK CORES BATCH

RUNTIME is torch (as it comes: MKL), torch-script (the same through TorchScript), torch-onednn, onnxruntime, openvino
or ctranslate2; the last two letters of what MODEL holds, f32 or int8, were settled by encoder_models.py. MODEL has the tokeniser and `pooling.json` too, so that all
runtimes see the same ids and pool in the same way: the mean of the tokens, of length 1 if the model says so. Any
python3 may start it: it goes on in the environment that prepare-encoders made.
"""

import base64
import json
import os
import sys
from pathlib import Path

ENVIRONMENT = Path(__file__).resolve().parent / "prepared-encoders/environment"
if ENVIRONMENT.exists() and Path(sys.prefix).resolve() != ENVIRONMENT.resolve():
    python = str(ENVIRONMENT / "bin/python3")
    os.execv(python, [python, *sys.argv])

import numpy as np
from tokenizers import Tokenizer

runtime, folder, track, cores, batch = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
pooling = json.loads((folder / "pooling.json").read_text())
tokeniser = Tokenizer.from_file(str(folder / "tokenizer.json"))
tokeniser.no_padding()
tokeniser.enable_truncation(pooling["most_tokens"])


def torch_model():
    import torch
    from torch.utils import mkldnn
    from transformers import AutoModel

    torch.set_num_threads(cores)
    # TorchScript traces tuples alone.
    model = AutoModel.from_pretrained(folder, return_dict=False).eval()
    if runtime == "torch-onednn":
        replace_linear(model, torch.nn.Linear, mkldnn.to_mkldnn)
    if runtime == "torch-script":
        example = torch.ones(1, 8, dtype=torch.int64)
        with torch.inference_mode():
            model = torch.jit.freeze(torch.jit.trace(model, (example, example)))

    def states(ids, mask):
        with torch.inference_mode():
            return model(torch.from_numpy(ids), torch.from_numpy(mask))[0].numpy()

    return states


def replace_linear(module, linear, to_mkldnn):
    """oneDNN's products in place of the linear layers; all other operators are the same."""
    for name, child in module.named_children():
        if isinstance(child, linear):
            setattr(module, name, to_mkldnn(child))
        else:
            replace_linear(child, linear, to_mkldnn)


def onnxruntime_model():
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = cores
    # A thread that spins between two lines would use a core that nobody gave it.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0" if track == "latency" else "1")
    session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    return lambda ids, mask: session.run(None, {"ids": ids, "mask": mask})[0]


def openvino_model():
    import openvino

    core = openvino.Core()
    hints = {"INFERENCE_NUM_THREADS": cores, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    path = next(path for path in (folder / "model.xml", folder / "model.onnx") if path.exists())
    request = core.compile_model(core.read_model(path), "CPU", hints).create_infer_request()
    return lambda ids, mask: request.infer({"ids": ids, "mask": mask})[0]


def ctranslate2_model():
    import ctranslate2

    # The precision of the products is that in which the model was converted.
    encoder = ctranslate2.Encoder(str(folder), device="cpu", compute_type="default", intra_threads=cores)

    def states(ids, mask):
        lines = [line[: int(length)].tolist() for line, length in zip(ids, mask.sum(axis=1))]
        return np.array(encoder.forward_batch(lines).last_hidden_state)

    return states


states = {"torch": torch_model, "torch-script": torch_model, "torch-onednn": torch_model,
          "onnxruntime": onnxruntime_model, "openvino": openvino_model, "ctranslate2": ctranslate2_model}[runtime]()


def answers(lines):
    """The answers to lines of ids, as one batch."""
    lengths = [len(line) for line in lines]
    ids = np.full((len(lines), max(lengths)), pooling["padding"], dtype=np.int64)
    mask = np.zeros_like(ids)
    for at, line in enumerate(lines):
        ids[at, : len(line)], mask[at, : len(line)] = line, 1
    vectors = states(ids, mask)
    for vector, length in zip(vectors, lengths):
        mean = vector[:length].mean(axis=0, dtype=np.float32)
        if pooling["normalise"]:
            mean /= max(np.sqrt(np.dot(mean, mean)), 1e-12)
        yield base64.b64encode(mean.astype("<f4").tobytes()).decode()


# A line ends in a line feed and nowhere else, whatever it holds.
sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")

if track.startswith("latency"):
    for line in sys.stdin:
        print(next(answers([tokeniser.encode(line.removesuffix("\n")).ids])), flush=True)
else:
    lines = sys.stdin.read().removesuffix("\n").split("\n")
    ids = [encoding.ids for encoding in tokeniser.encode_batch_fast(lines)]
    order = sorted(range(len(lines)), key=lambda at: len(ids[at]))
    results = [""] * len(lines)
    for first in range(0, len(order), batch):
        chosen = order[first : first + batch]
        for at, answer in zip(chosen, answers([ids[at] for at in chosen])):
            results[at] = answer
    print("\n".join(results))
