#!/usr/bin/env python3
"""Metrics of pymarian-eval as a worker of dyno: `worker.py --model wmt22-comet-da`.

`--model` is a name of pymarian-eval, or the folder of a model that lies on the disk already.
"""

import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from worker import serve  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="metric of pymarian-eval, or folder of a model")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--direction", choices=["higher", "lower"], default="higher")
    parser.add_argument("--without-references", action="store_true", help="for metrics such as CometKiwi")
    arguments = parser.parse_args()

    def score(source, hypothesis, references):
        with tempfile.TemporaryDirectory() as folder:
            files = {"-s": source, "-t": hypothesis}
            if not arguments.without_references:
                files["-r"] = references[0]
            command = ["pymarian-eval", "-m", arguments.model, "-c", str(arguments.threads), "-a", "skip"]
            for option, lines in files.items():
                path = os.path.join(folder, option.strip("-"))
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines(line + "\n" for line in lines)
                command += [option, path]
            told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        return [float(line.split()[0]) for line in told.splitlines() if line.strip()]

    serve(
        {
            "name": "pymarian-eval",
            "version": version(),
            "direction": arguments.direction,
            "signature": f"model:{arguments.model}|device:cpu",
            "references": not arguments.without_references,
        },
        score,
    )


def version():
    told = subprocess.run(["pymarian-eval", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return told.split()[-1] if told.split() else "unknown"


main()
