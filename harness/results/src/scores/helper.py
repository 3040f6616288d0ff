"""Asks sacrebleu for the bench: one JSON request on standard input, one JSON answer on standard output.

The Python API, unlike the command line, gives the sufficient statistics of each line, from which the bench draws its
own bootstrap. The API also names the files of sacrebleu's test sets, so that they need no copy.
"""

import sys

# Modules in the working directory must not shadow installed ones.
sys.path[:] = [folder for folder in sys.path if folder]

import json  # noqa: E402


def probe(request):
    """The version, if all tokenisers of the request are there, which are named by their languages."""
    import sacrebleu

    for tokeniser in request["tokenisers"]:
        if tokeniser == "flores200":
            import sentencepiece  # noqa: F401
        else:
            metric("bleu", None, tokeniser)
    return {"version": sacrebleu.__version__}


def files(request):
    from sacrebleu import utils
    from sacrebleu.dataset import DATASETS

    name, pair = request["name"], request["languages"]
    source = utils.get_source_file(name, pair)
    fields = dict(zip(DATASETS[name].fieldnames(pair), DATASETS[name].get_files(pair)))
    references = list(utils.get_reference_files(name, pair))
    return {"source": source, "references": references, "documents": fields.get("docid")}


def score(request):
    """Scores all outputs of a run at once, since importing sacrebleu takes longer than scoring."""
    return {"sets": [score_set(request["metrics"], test_set) for test_set in request["sets"]]}


def score_set(names, test_set):
    return [scores_by(name, test_set) for name in names]


def scores_by(name, test_set):
    """Scores of all outputs of a set by one metric, or its own error: a metric that fails takes no other with it.

    `Ok` and `Err` are how the bench's reader names the two.
    """
    references = test_set["references"]
    try:
        # Metrics cache the counts of their references, so each set has its own metrics.
        one = metric(name, references, test_set["target"] or "")
        return {"Ok": [measure(one, answers, len(references)) for answers in test_set["outputs"]]}
    except (Exception, SystemExit) as error:
        return {"Err": message(error)}


def message(error):
    """The whole message in one line: sacrebleu's begin with an empty one."""
    return " ".join(str(error).split()) or type(error).__name__


def metric(name, references, target):
    from sacrebleu.metrics import BLEU, CHRF, TER

    if name == "bleu":
        return BLEU(references=references, trg_lang=target)
    if name == "spbleu":
        return BLEU(references=references, tokenize="flores200")
    if name == "ter":
        return TER(references=references)
    return CHRF(references=references, word_order=2 if name == "chrf++" else 0)


def measure(metric, answers, references):
    """A score with the sufficient statistics of each line, as whole numbers.

    BLEU: length of answer, length of reference, matches of n-grams 1 to 4, n-grams 1 to 4. chrF: for each order
    n-grams of the answer, of the reference, matches. TER: edits and mean length of the references, both times the
    number of references, since the mean is no whole number.
    """
    corpus = metric.corpus_score(answers, None)
    statistics = metric._extract_corpus_statistics(answers, None)
    factor = references if type(metric).__name__ == "TER" else 1
    return {
        "score": corpus.score,
        "signature": metric.get_signature().format(),
        "statistics": [[round(number * factor) for number in line] for line in statistics],
    }


def main():
    request = json.load(sys.stdin)
    try:
        answer = {"probe": probe, "files": files, "score": score}[request["ask"]](request)
    except (Exception, SystemExit) as error:  # sacrebleu exits on unknown names
        answer = {"error": message(error)}
    # sacrebleu prints progress of downloads; the answer is the last line.
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


main()
