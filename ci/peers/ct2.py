"""CTranslate2 as a system: a line in, a line out.

    ct2.py MODEL VOCABULARY PRECISION LENGTH TRACK CORES BATCH

LENGTH is the greatest length of a translation as a factor of its source's.
"""

import sys

import ctranslate2
import sentencepiece

LONGEST = 1000  # Marian's own default

model, vocabulary, precision, length, track, cores, batch = sys.argv[1:]
pieces = sentencepiece.SentencePieceProcessor(model_file=vocabulary)
translator = ctranslate2.Translator(model, device="cpu", compute_type=precision, inter_threads=int(cores),
                                    intra_threads=1)


def submit(sources):
    """One batch. What counts is its longest source, with the end of the sentence: as Marian does."""
    longest = min((max(map(len, sources)) + 1) * int(length), LONGEST)
    return translator.translate_batch(sources, beam_size=1, max_input_length=LONGEST, max_decoding_length=longest,
                                      use_vmap=True, disable_unk=True, asynchronous=True)


# A line ends in a line feed and nowhere else, whatever it holds; what leaves is UTF-8.
sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")

if track == "latency":
    for line in sys.stdin:
        answer = submit([pieces.encode(line, out_type=str)])[0].result()
        print(pieces.decode(answer.hypotheses[0]), flush=True)
else:
    lines = sys.stdin.read().removesuffix("\n").split("\n")
    sources = pieces.encode(lines, out_type=str)
    order = sorted(range(len(lines)), key=lambda at: len(sources[at]))
    results = [None] * len(lines)
    for first in range(0, len(order), int(batch)):
        chosen = order[first : first + int(batch)]
        for at, result in zip(chosen, submit([sources[at] for at in chosen])):
            results[at] = result
    for result in results:
        print(pieces.decode(result.result().hypotheses[0]))
