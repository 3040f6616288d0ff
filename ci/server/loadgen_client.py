"""Lets MLPerf's LoadGen load a system that answers lines, in its server scenario. Runs where mlcommons-loadgen is.

    loadgen_client.py COMMAND LINES RATE COUNT FOLDER

COMMAND is a list in JSON. Prints LoadGen's percentiles in milliseconds, and the instant of each query in seconds.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path

import mlperf_loadgen as lg

PERCENTILES = (50, 90, 99)
# LoadGen judges no limit here: its verdict is not asked for.
ANY_LATENCY_NS = 10**12


class System:
    """The system under test: lines in, answers out in the same order."""

    def __init__(self, command, lines):
        last = max(os.sched_getaffinity(0))
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                        preexec_fn=lambda: os.sched_setaffinity(0, {last}))
        os.sched_setaffinity(0, os.sched_getaffinity(0) - {last})
        self.lines, self.waiting, self.instants = lines, deque(), []
        self.process.stdin.write(lines[0])  # the warm-up
        self.process.stdout.readline()
        threading.Thread(target=self.hear, daemon=True).start()

    def issue(self, queries):
        for query in queries:
            self.instants.append(time.monotonic())
            self.waiting.append(query.id)
            self.process.stdin.write(self.lines[query.index])

    def hear(self):
        while data := os.read(self.process.stdout.fileno(), 1 << 16):
            done = [self.waiting.popleft() for _ in range(data.count(b"\n"))]
            lg.QuerySamplesComplete([lg.QuerySampleResponse(query, 0, 0) for query in done])


def settings(rate, count):
    asked = lg.TestSettings()
    asked.scenario, asked.mode = lg.TestScenario.Server, lg.TestMode.PerformanceOnly
    asked.server_target_qps, asked.server_target_latency_ns = rate, ANY_LATENCY_NS
    asked.min_query_count = asked.max_query_count = count
    asked.min_duration_ms = 0
    return asked


def percentiles(summary):
    found = {p: re.search(rf"^{p}\.00 percentile latency \(ns\)\s*:\s*(\d+)$", summary, re.M) for p in PERCENTILES}
    return {p: int(match.group(1)) / 1e6 for p, match in found.items()}


def main():
    command, lines, rate, count, folder = sys.argv[1:]
    lines = [line + b"\n" for line in Path(lines).read_bytes().split(b"\n")[:-1]]
    system = System(json.loads(command), lines)
    sut = lg.ConstructSUT(system.issue, lambda: None)
    qsl = lg.ConstructQSL(len(lines), len(lines), lambda _: None, lambda _: None)
    log = lg.LogSettings()
    log.log_output = lg.LogOutputSettings()
    log.log_output.outdir = folder
    lg.StartTestWithLogSettings(sut, qsl, settings(float(rate), int(count)), log)
    summary = Path(folder, "mlperf_log_summary.txt").read_text()
    print(json.dumps({"percentiles_ms": percentiles(summary), "instants": system.instants}))
    sys.stdout.flush()
    os._exit(0)  # LoadGen's own threads and the system end with this process


main()
