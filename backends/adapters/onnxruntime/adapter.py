"""onnxruntime under the bench's protocol: the graphs that Optimum exports, searched greedily."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # else it calls a server

from protocol import options, serve  # noqa: E402

import onnxruntime  # noqa: E402
from graphs import Graph, Search  # noqa: E402


# Its telemetry would call a server, which the sandbox counts as `uses_network`.
onnxruntime.disable_telemetry_events()


def opened_by(chosen):
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = chosen.cores
    # A thread that spins between two lines would use a core that nobody gave it.
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0" if chosen.line_by_line else "1")

    def opened(path):
        session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        names = [output.name for output in session.get_outputs()]
        inputs = {given.name: given.shape for given in session.get_inputs()}
        return Graph(inputs, lambda values: dict(zip(names, session.run(names, values))))

    return opened


def main():
    chosen = options()
    serve(chosen, Search(chosen.model, opened_by(chosen), chosen.settings).translate)


main()
