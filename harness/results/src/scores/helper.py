"""Asks sacrebleu for the bench: one JSON request on standard input, one JSON answer on standard output.

The Python API, unlike the command line, gives the sufficient statistics of each line, from which the bench draws its
own bootstrap. The API also names the files of sacrebleu's test sets, so that they need no copy.
"""

import sys

# Modules in the working directory must not shadow installed ones.
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
    """Scores all outputs of a run at once, since importing sacrebleu takes longer than scoring."""
    from sacrebleu.metrics import BLEU, CHRF

    sets = []
    for test_set in request["sets"]:
        references = test_set["references"]
        # Metrics cache the counts of their references, so each set has its own metrics.
        metrics = {"bleu": BLEU(references=references), "chrf": CHRF(references=references)}
        scored = lambda answers: {name: measure(metric, answers) for name, metric in metrics.items()}
        sets.append([scored(answers) for answers in test_set["outputs"]])
    return {"sets": sets}


def measure(metric, answers):
    """A score with the sufficient statistics of each line.

    BLEU: length of answer, length of reference, matches of n-grams 1 to 4, n-grams 1 to 4. chrF: for each order
    n-grams of the answer, of the reference, matches.
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
    except (Exception, SystemExit) as error:  # sacrebleu exits on unknown names
        answer = {"error": f"{type(error).__name__}: {error}"}
    # sacrebleu prints progress of downloads; the answer is the last line.
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


main()
