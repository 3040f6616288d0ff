"""The JSON-lines protocol of dyno's metric workers: the loop that the workers in this folder share.

A worker gives `serve` the facts of its metric and a function from a request to scores of the lines. Standard output
belongs to the protocol from the import of this module on: whatever libraries print goes to standard error. Import this
module before them.
"""

import json
import os
import sys

ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


def serve(facts, score):
    """Answers requests until `shutdown` or the end of the input.

    facts: dict with name, version, direction and optional range, signature, references.
    score: function of (source, hypothesis, references) that returns a list with a score for each line, or one number
    for the whole text.
    """
    for line in sys.stdin:
        request = json.loads(line)
        if request["ask"] == "shutdown":
            break
        try:
            answer = facts if request["ask"] == "init" else answer_to(request, score)
        except Exception as error:  # the bench tells the user
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=ANSWERS, flush=True)


def answer_to(request, score):
    scores = score(request["source"], request["hypothesis"], request["references"])
    return {"segments": [float(one) for one in scores]} if isinstance(scores, list) else {"score": float(scores)}
