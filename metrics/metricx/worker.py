#!/usr/bin/env python3
"""MetricX-24 as a worker of dyno: `worker.py --model google/metricx-24-hybrid-large-v2p6 --tokenizer google/mt5-xl`.

The metric's own program reads and writes JSON lines. Its scores are errors from 0 to 25: less is better.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from worker import serve  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="name or folder of the model")
    parser.add_argument("--tokenizer", required=True, help="name or folder of the tokenizer")
    parser.add_argument("--max-length", type=int, default=1536)
    parser.add_argument("--without-references", action="store_true", help="the mode for quality estimation")
    arguments = parser.parse_args()

    def score(source, hypothesis, references):
        rows = [{"source": s, "hypothesis": h, "reference": ""} for s, h in zip(source, hypothesis)]
        if not arguments.without_references:
            for row, reference in zip(rows, references[0]):
                row["reference"] = reference
        with tempfile.TemporaryDirectory() as folder:
            asked, told = os.path.join(folder, "asked.jsonl"), os.path.join(folder, "told.jsonl")
            with open(asked, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
            command = [sys.executable, "-m", "metricx24.predict"]
            command += ["--tokenizer", arguments.tokenizer, "--model_name_or_path", arguments.model]
            command += ["--max_input_length", str(arguments.max_length), "--batch_size", "1"]
            command += ["--input_file", asked, "--output_file", told]
            command += ["--qe"] if arguments.without_references else []
            subprocess.run(command, check=True)
            with open(told, encoding="utf-8") as file:
                return [json.loads(line)["prediction"] for line in file if line.strip()]

    serve(
        {
            "name": "MetricX",
            "version": "24",
            "direction": "lower",
            "range": [0, 25],
            "signature": f"model:{arguments.model}|max-length:{arguments.max_length}",
            "references": not arguments.without_references,
        },
        score,
    )


main()
