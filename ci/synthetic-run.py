#!/usr/bin/env python3
"""Writes the folder of an invented run, as large and as odd as a report must bear.

    ci/synthetic-run.py DIR [--systems 20] [--lines 3003] [--rounds 3] [--hostile] [--seed 1]

Speeds, latencies and texts are random, but look like those of real systems. Better systems are slower, and their texts
share more words with the reference. With --hostile, names and texts hold markup, formulas, control characters and scripts
of all directions.
"""
import argparse, hashlib, json, math, os, random

FAMILIES = ["ssru", "transformer-aan", "gru", "rnn-fc", "encoder"]
TRACKS = ["latency", "throughput-1", "throughput-all"]
HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "=cmd|' /C calc'!A0", "a|b`c*d_e",
           "\"'&<>", "{{ view }}{% raw %}", "مرحبا بالعالم", "e\u0301\u0301\u0301 zalgo", "x" * 120, "\u202egnp.exe", "]]><!--"]


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="") as file:
        file.write(text)


def words_of(r, n):
    """Zipf's law over invented words."""
    return [invented(min(int(r.paretovariate(0.7)), 30000)) for _ in range(n)]


def invented(rank):
    r = random.Random(rank)
    return "".join(r.choice("bdfgklmnprst") + r.choice("aeiou") for _ in range(1 + min(3, int(math.log(rank + 1) / 2))))


COMPONENTS = {"tokenise": 2, "embed": 1, "encoder": 45, "attention": 12, "decoder": 25, "output": 12, "search": 1, "detokenise": 1, "other": 1}
OPERATORS = {"product": 70, "attention": 8, "softmax": 0, "norm": 5, "activation": 4, "quantise": 5, "other": 8}
drawn = random.Random(4)


def breakdown():
    """A second, shared out at random around the usual shares; both ways of dividing have the same whole."""
    told = {}
    for way, usual in (("components", COMPONENTS), ("operators", OPERATORS)):
        parts = {name: int(share * 1e7 * math.exp(drawn.gauss(0, 0.5))) for name, share in usual.items()}
        total = sum(parts.values())
        parts = {name: part * 10**9 // total for name, part in parts.items()}
        parts["other"] += 10**9 - sum(parts.values())
        told[way] = parts
    return told


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("--systems", type=int, default=20)
    p.add_argument("--lines", type=int, default=3003)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--hostile", action="store_true")
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    r = random.Random(a.seed)
    profile = {3: "quick", 5: "standard", 9: "official"}[a.rounds]

    source = [" ".join(words_of(r, max(1, int(r.lognormvariate(2.9, 0.5))))) for _ in range(a.lines)]
    reference = [" ".join(words_of(r, max(1, len(line.split()) + r.randint(-2, 2)))) for line in source]
    if a.hostile:
        for i, text in enumerate(HOSTILE):
            source[i % a.lines] = text
            reference[(i + 3) % a.lines] = text
    source_text, reference_text = "\n".join(source) + "\n", "\n".join(reference) + "\n"
    set_hash = sha(source_text + reference_text)
    write(f"{a.folder}/testsets/{set_hash}.source.txt", source_text)
    write(f"{a.folder}/testsets/{set_hash}.reference-1.txt", reference_text)
    words = sum(len(line.split()) for line in source)

    systems, records, scores = [], [], []
    for i in range(a.systems):
        family = FAMILIES[i % len(FAMILIES)]
        foreign = i % 7 == 6
        name = HOSTILE[i % len(HOSTILE)] + str(i) if a.hostile else (f"{'marian' if foreign else family}-{['base', 'small', 'tiny', 'int8'][i // 5 % 4]}")
        skill = 0.35 + 0.5 * r.random()
        speed = 900 * math.exp(4.2 * (1 - skill)) * math.exp(r.gauss(0, 0.45))
        launch = {"foreign": {"command": ["./run.sh", name], "folder": "."}} if foreign else {
            "built-in": {"backend": family, "settings": {"beam": 1 + i % 4, "batch": 32}}}
        systems.append({"name": name, "launch": launch, "models": [f"models/{family}"], "environment": [], "sampling": False})
        text = "\n".join(" ".join(w if r.random() < skill else invented(r.randint(1, 3000)) for w in line.split()) for line in reference) + "\n"
        if a.hostile:
            lines = text.split("\n")
            for j, odd in enumerate(HOSTILE):
                lines[j % a.lines] = odd
            text = "\n".join(lines)
        output = sha(text)
        write(f"{a.folder}/outputs/{output}.txt", text)
        bleu = 42 * skill ** 1.2
        scores.append({"output": output, "test_set": "synthetic", "bleu": bleu, "bleu_confidence": 0.8, "chrf": bleu + 24,
                       "chrf_confidence": 0.6, "bleu_signature": "nrefs:1|case:mixed|tok:13a|smooth:exp|version:2.5.1",
                       "chrf_signature": "nrefs:1|case:mixed|nc:6|nw:0|space:no|version:2.5.1"})
        for track in TRACKS:
            invalid = a.systems > 8 and i == 7 and track == "latency"
            for round_number in range(a.rounds):
                shake = math.exp(r.gauss(0, 0.012))
                cores = [1] if track != "throughput-all" else [0, 1]
                rate = speed * {"latency": 0.55, "throughput-1": 1, "throughput-all": 1.86}[track] * shake
                record = {"schema": 1, "system": name, "test_set": "synthetic", "track": track, "round": round_number,
                          "profile": profile, "started_unix_ms": 1795245201432, "verdict": "VALID", "reasons": [],
                          "command": ["dyno", "translate", "--model", f"models/{family}", "--track", track], "system_cores": cores,
                          "bench_cores": [0], "lines": a.lines, "words": words,
                          "usage": {"ended_ns": 1, "code": 0, "signal": None, "killed": False, "user_ns": int(3 * words / rate * 1e9) * len(cores), "system_ns": 10_000_000,
                                    "peak_bytes": int((12 + 300 * r.random() * skill) * 2**20), "floor_bytes": 4 << 20, "voluntary_switches": 1,
                                    "involuntary_switches": 1, "left_processes": 0, "stderr_bytes": 0, "stderr_tail": ""},
                          "output": output, "facts": None, "model_bytes": int((8 + 200 * skill) * 2**20), "model_seen": True, "differing_launches": 0}
                if invalid:
                    record["verdict"] = "INVALID"
                    record["reasons"] = [{"code": "hung", "figure": "no answer after 60.0 s", "limit": "an answer within the campaign's line-seconds",
                                          "remedy": "flush after every line in the latency track"}]
                elif track == "latency":
                    per_word = 1e9 / rate
                    record["latency_ns"] = [int(per_word * (4 + 0.8 * len(line.split())) * math.exp(abs(r.gauss(0, 0.18)))) for line in source]
                    record["start_ns"] = 21_000_000
                    record["cpu"] = {"ns": int(words * per_word), "words": words}
                    record["settled_bytes"] = record["usage"]["peak_bytes"] * 3 // 4
                else:
                    record["launch_ns"] = [int(words / rate * 1e9 + 2e7)] * 3
                    record["one_line_ns"] = [22_000_000] * 3
                records.append(record)
    pairs = []
    for i, x in enumerate(scores):
        for y in scores[i + 1:]:
            difference = x["bleu"] - y["bleu"]
            half = {"difference": difference, "low": difference - 0.9, "high": difference + 0.9, "p": 0.001 if abs(difference) > 0.9 else 0.4, "p_worse": 0.0005 if difference < -0.9 else 0.8}
            pairs.append({"test_set": "synthetic", "a": x["output"], "b": y["output"], "bleu": half, "chrf": half})
    host = {"cpu": "AMD EPYC (Zen 5)", "isa": ["avx2", "avx512bw", "avx512vnni"], "cores": [0, 1], "caches": ["L1 48K", "L2 1024K", "L3 32768K"],
            "memory_bytes": 25276510208, "kernel": "6.18.0", "cgroup_limits": []}
    protocol = {"schema": 1, "profile": profile, "seed": a.seed, "cores": None, "tracks": TRACKS, "probes": [], "filler": None,
                "limits": {"line_seconds": 60.0, "launch_seconds": 3600.0, "noisy_repeats": None}}
    identity = {"key": "5e17e71c", "campaign": "synthetic", "protocol": protocol, "systems": systems, "programs": [],
                "test_sets": [["synthetic", set_hash, a.lines]], "host": host}
    price = {"instance": "m0.large", "provider": "Nobody", "region": "nowhere", "terms": "on demand", "hourly_usd": 0.08, "vcpus": 2,
             "threads": 1, "date": "2026-01-01", "source": "invented", "cpu": []}
    write(f"{a.folder}/price.json", json.dumps(price))
    write(f"{a.folder}/run.json", json.dumps(identity, indent=1))
    write(f"{a.folder}/records.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    hosted = [system["name"] for system in systems if "built-in" in system["launch"]]
    breakdowns = [{"system": name, "test_set": "synthetic", "track": track, "breakdown": breakdown()}
                  for name in hosted for track in TRACKS if track != "throughput-all"]
    write(f"{a.folder}/breakdowns.json", json.dumps(breakdowns))
    write(f"{a.folder}/scores.json", json.dumps({"scores": scores, "pairs": pairs}))


main()
