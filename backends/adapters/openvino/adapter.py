"""OpenVINO under the bench's protocol: the ONNX graphs that Optimum exports, searched greedily."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from protocol import options, serve  # noqa: E402

import openvino  # noqa: E402
from graphs import Graph, Search  # noqa: E402


def sizes(shape):
    """Sizes of a shape; None for one that is known only at run time."""
    return [None if size.is_dynamic else size.get_length() for size in shape]


def opened_by(chosen):
    core = openvino.Core()
    hints = {"INFERENCE_NUM_THREADS": chosen.cores, "PERFORMANCE_HINT": "LATENCY",
             "INFERENCE_PRECISION_HINT": chosen.settings["precision"]}

    def opened(path):
        compiled = core.compile_model(core.read_model(path), "CPU", hints)
        request = compiled.create_infer_request()
        names = [output.any_name for output in compiled.outputs]
        inputs = {given.any_name: sizes(given.partial_shape) for given in compiled.inputs}

        def run(values):
            told = request.infer(values)
            return {name: told[at].copy() for at, name in enumerate(names)}

        return Graph(inputs, run)

    return opened


def main():
    chosen = options()
    # The merged decoder is a graph with a branch, whose outputs have no known rank: OpenVINO can't compile it.
    search = Search(chosen.model, opened_by(chosen), chosen.settings, takes_merged=False)
    serve(chosen, search.translate)


main()
