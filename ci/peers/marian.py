"""Marian as a system: a line in, a line out.

    marian.py MODEL VOCABULARY SHORTLIST LENGTH TRACK CORES BATCH

SHORTLIST is Marian's option (a file, and for a text its two limits), or nothing; LENGTH is the greatest length of a
translation as a factor of its source's.
"""

import sys

import _pymarian  # what pymarian is around downloads models

model, vocabulary, shortlist, length, track, cores, batch = sys.argv[1:]
candidates = f"--shortlist {shortlist}" if shortlist else ""
translator = _pymarian.Translator(
    f"--models {model} --vocabs {vocabulary} {vocabulary} {candidates} --beam-size 1 --skip-cost "
    f"--max-length-factor {length} --mini-batch {batch} --maxi-batch {1 if batch == '1' else 100} --maxi-batch-sort src "
    f"--max-length 1000 --max-length-crop --cpu-threads {cores} --workspace 512 --quiet --quiet-translation")

# A line ends in a line feed and nowhere else, whatever it holds; what leaves is UTF-8.
sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")

if track == "latency":
    for line in sys.stdin:
        print(translator.translate(line.rstrip("\n")).replace("\n", " "), flush=True)
else:
    lines = sys.stdin.read().removesuffix("\n").split("\n")
    answers = translator.translate("\n".join(lines)).split("\n")
    answers += [""] * (len(lines) - len(answers))  # it drops empty answers at the end
    print("\n".join(answers))
