"""What the bench asks of sacrebleu: one JSON request on standard input, one JSON answer on standard output.

Going through the Python API rather than the command line keeps the per-line sufficient statistics, from which
the bench draws its own bootstrap, and names the files of sacrebleu's test sets without copying them.
"""

import sys

# Modules of the folder that the bench happens to be started in are none of ours.
sys.path[:] = [folder for folder in sys.path if folder]

import json  # noqa: E402


def probe(_request):
    import sacrebleu

    return {"version": sacrebleu.__version__}


def files(request):
    from sacrebleu import utils

    name, pair = request["name"], request["languages"]
    source = utils.get_source_file(name, pair)
    return {"source": source, "references": list(utils.get_reference_files(name, pair))}


def score(request):
    """All outputs of a run at once: importing sacrebleu takes longer than scoring."""
    from sacrebleu.metrics import BLEU, CHRF

    sets = []
    for test_set in request["sets"]:
        references = test_set["references"]
        # The metrics cache what they extract from references: a new one for each set.
        metrics = {"bleu": BLEU(references=references), "chrf": CHRF(references=references)}
        scored = lambda answers: {name: measure(metric, answers) for name, metric in metrics.items()}
        sets.append([scored(answers) for answers in test_set["outputs"]])
    return {"sets": sets}


def measure(metric, answers):
    """A score with its per-line sufficient statistics.

    Of BLEU: length of answer, length of reference, matches of n-grams 1 to 4, n-grams 1 to 4. Of chrF: for each
    order n-grams of the answer, of the reference, matches.
    """
    corpus = metric.corpus_score(answers, None)
    statistics = metric._extract_corpus_statistics(answers, None)
    return {
        "score": corpus.score,
        "signature": metric.get_signature().format(),
        "statistics": [[int(number) for number in line] for line in statistics],
    }


def main():
    request = json.load(sys.stdin)
    try:
        answer = {"probe": probe, "files": files, "score": score}[request["ask"]](request)
    except (Exception, SystemExit) as error:  # sacrebleu exits on unknown names: the bench wants the reason
        answer = {"error": f"{type(error).__name__}: {error}"}
    # What sacrebleu prints while it downloads must not mix with the answer: the answer is the last line.
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


main()
