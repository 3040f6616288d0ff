"""Marian under the bench's protocol."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from protocol import BATCH_LINES, fail, options, serve  # noqa: E402

import _pymarian  # noqa: E402  (what pymarian is around downloads models)

# Longest line in pieces; Marian cuts what is longer.
LONGEST = 1000


def command(chosen):
    """Marian's options. Its batches are sorted by length within a hundred of them, as is usual."""
    settings = chosen.settings
    if "vocabulary" not in settings:
        fail("marian: the setting `vocabulary` is missing: name the model's vocabulary")
    source = settings["vocabulary"]
    batch = ["--mini-batch-words", chosen.batch] if chosen.batch else ["--mini-batch", lines_of(chosen)]
    words = ["--models", chosen.model, "--vocabs", source, settings.get("target-vocabulary", source), *batch,
             "--maxi-batch", 1 if chosen.line_by_line else 100, "--maxi-batch-sort", "src",
             "--beam-size", settings["beam"], "--max-length-factor", settings["max-length-factor"],
             "--max-length", LONGEST, "--max-length-crop", "--cpu-threads", chosen.cores,
             "--workspace", settings["workspace"], "--log-level", "error", "--quiet-translation"]
    words += ["--shortlist", *settings["shortlist"].split()] if settings.get("shortlist") else []
    words += ["--skip-cost"] if settings["beam"] == "1" else []
    return " ".join(map(str, words))


def lines_of(chosen):
    return 1 if chosen.line_by_line else chosen.batch_lines or BATCH_LINES


def main():
    chosen = options()
    translator = _pymarian.Translator(command(chosen))

    def translate(lines):
        answers = translator.translate("\n".join(lines)).split("\n")
        return answers + [""] * (len(lines) - len(answers))  # empty answers at the end are missing

    serve(chosen, translate, translate)


main()
