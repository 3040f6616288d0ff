"""Runs long checks in short pieces: each call does part of the work that is left, and keeps a line for each result.

    ci/verify-sweep --seconds 85; ci/verify-sweep --seconds 85; …        until the exit code is 0 or 1

The tally lies beside the build, one file for each check and program; --tally names another file. Every call ends with the
table of all results so far. Exit codes: 0 all is done and right; 1 all is done and something is wrong; 2 some is left.
"""

import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Contestants in another language or with another's library. Without it such a contestant is a plain echo, which shows
# nothing of its kind.
NEEDS = {
    "honest_bpe_cache": ["python3", "-c", "import tokenizers"],
    "honest_node": ["node", "--version"],
    "honest_java": ["java", "-version"],
    "honest_c": ["cc", "--version"],
}


def possible(contestants):
    """The contestants that this host can run; the others are named."""
    found = []
    for contestant in contestants:
        check = NEEDS.get(contestant)
        if check is None or (shutil.which(check[0]) and not subprocess.run(check, capture_output=True).returncode):
            found.append(contestant)
        else:
            print(f"skipped: {contestant}; `{shlex.join(check)}` fails here")
    return found


def parser(document):
    options = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--dyno", default=str(ROOT / "target/release/dyno"))
    options.add_argument("--seconds", type=float, default=85, help="begin nothing that may not end by then")
    options.add_argument("--tally", type=pathlib.Path, help="what was done so far")
    return options


@contextlib.contextmanager
def busy_cores(wanted=True):
    """Keeps every core busy with a loop, as other programs of a shared host do."""
    cores = sorted(os.sched_getaffinity(0)) if wanted else []
    loop = "import os, sys\nos.sched_setaffinity(0, [int(sys.argv[1])])\nwhile os.getppid() == int(sys.argv[2]): sum(range(100000))"
    loops = [subprocess.Popen([sys.executable, "-c", loop, str(core), str(os.getpid())]) for core in cores]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def outcomes(rows):
    """A table of verdicts: a unit is a contestant and a seed, and what it saw begins with the verdict."""
    counts = {}
    for row in rows:
        count, outcome = counts.setdefault(row["unit"].split()[0], {}), row["said"].split()[0]
        count[outcome] = count.get(outcome, 0) + 1
    kinds = ["VALID", "NOISY", "INVALID"]
    print(f"{'contestant':<28} " + " ".join(f"{kind:>8}" for kind in kinds))
    for contestant, count in counts.items():
        print(f"{contestant:<28} " + " ".join(f"{count.get(kind, 0):8}" for kind in kinds))
    return False


class Pieces:
    def __init__(self, name, options, least_seconds):
        """`least_seconds`: what one unit of work may take, until a longer one was seen."""
        self.begin, self.seconds, self.longest = time.time(), options.seconds, least_seconds
        options.dyno = str(pathlib.Path(options.dyno).resolve())
        build = hashlib.sha256(pathlib.Path(options.dyno).read_bytes()).hexdigest()[:8]
        self.path = options.tally or pathlib.Path(options.dyno).with_name(f"{name}-{build}.jsonl")
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.done = {row["unit"]: row for row in map(json.loads, lines)}

    def run(self, units, work):
        """Does `work` for each of `units` that is left: it says whether all was right, and what it saw."""
        units = list(units)
        for unit in units:
            left = self.seconds - (time.time() - self.begin)
            if unit in self.done or left < self.longest:
                continue
            begin = time.time()
            right, said = work(unit)
            row = {"unit": unit, "right": right, "seconds": round(time.time() - begin, 1), "said": said}
            self.longest = max(self.longest, row["seconds"])
            self.done[unit] = row
            with self.path.open("a") as file:
                file.write(json.dumps(row) + "\n")
        return [self.done[unit] for unit in units if unit in self.done], [unit for unit in units if unit not in self.done]

    def conclude(self, rows, left, summary=lambda rows: None):
        """The table of `rows`, what `summary` says of them (and whether that is wrong), and the exit code."""
        width = max([len(row["unit"]) for row in rows] or [0])
        for row in rows:
            mark = "ok   " if row["right"] else "WRONG"
            print(f"{mark} {row['unit']:<{width}} {row['seconds']:6.1f} s  {row['said']}")
        wrong = sum(not row["right"] for row in rows)
        failed = summary(rows)
        print(f"{len(rows)} of {len(rows) + len(left)} done, {wrong} wrong; tally: {self.path}")
        sys.exit(2 if left else 1 if wrong or failed else 0)
