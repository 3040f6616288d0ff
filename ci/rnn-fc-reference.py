#!/usr/bin/env python3
"""The reference of the engine rnn-fc: Devlin's "Sharp Models on Dull Hardware" (2017) in plain numpy.

    pip install numpy==2.4.6
    ci/rnn-fc-reference.py                   makes backends/rnn-fc/tests/goldens: models and their translations
    ci/rnn-fc-reference.py --decode          translates again with the models that are there
    ci/rnn-fc-reference.py --model DIR …     translates standard input; several models are an ensemble

The script follows the paper's equations, in 64 bits, one sentence at a time, without the paper's speed-ups. The engine
merges, precomputes and looks up, and its results have to equal these. docs/FORMAT.md ("rnn-fc") decides what the paper
leaves open, and names the tensors.

The models have random weights: one for each of the paper's systems S1 to S7, and two more S4 for the paper's ensembles.
Weights are drawn again until two conditions hold. The answers are varied, and every decision of every search is clearer
than the difference between 64 and 32 bits.
"""

import argparse
import collections
import hashlib
import json
import math
import pathlib
import sys
import tomllib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDENS = ROOT / "backends/rnn-fc/tests/goldens"
TEXT = ROOT / "testsets/captions-en-de"

EOS, UNK = 0, 1
BEAM, DELTA, CANDIDATES = 6, 3.0, 20   # the paper's
ALPHA, LENGTH_FACTOR = 0.6, 3.0        # of length normalisation and of the longest translation; dyno's settings
CLEAR = 3e-5                           # between what is kept and what isn't

# Odd lines: empty, unknown words, repeats, spaces, long.
ODD = ["", "漢字 Ωμέγα", "a", "the the the the the", "  two   spaces  ", "dog " * 12, "x y z ."]

SOURCE, TARGET = 150, 140  # words; where embeddings are tied both sides have the source's
WIDTHS = {"dim-emb": 32, "source-depth": 3, "dim-source": 20, "dim-target": 44, "dim-attention": 36}
TIED, UNTIED = {"tied-embeddings-all": True}, {"tied-embeddings-all": False}
FC = {"dim-fc": 28, "fc-depth": 7}
KEPT = {
    "s1": WIDTHS | UNTIED | {"top": "none"},
    "s2": WIDTHS | UNTIED | {"top": "gru", "dim-top": 30},
    "s3": WIDTHS | TIED | {"dim-fc": 28, "fc-depth": 3},
    "s4": WIDTHS | TIED | FC,
    "s4b": WIDTHS | TIED | FC,
    "s4c": WIDTHS | TIED | FC,
    "s5": WIDTHS | TIED | FC | {"top": "gru"},
    "s6": WIDTHS | UNTIED | {"dim-fc": 28, "fc-depth": 15, "dim-top": 44},
    "s7": WIDTHS | UNTIED | {"source-type": "bi-unidirectional", "source-cell": "lstm", "source-depth": 8, "dim-source": 16,
                             "target-cell": "lstm", "dim-target": 32, "dim-attention": 28, "top": "lstm", "top-depth": 7,
                             "dim-top": 20, "skip": True},
}
ENSEMBLES = {"e1": ["s4", "s4b"], "e2": ["s4", "s4b", "s4c"]}
DEFAULTS = {"tied-embeddings-all": True, "source-type": "bidirectional", "source-cell": "gru", "target-cell": "gru",
            "fc-depth": 0, "top": "tanh", "top-depth": 1, "skip": False}


def sigma(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Model:
    """Equations of sections 4 and 5 of the paper. Vectors are rows; most functions take one or several of them."""

    def __init__(self, config, weights, words):
        self.config, self.weights, self.words = DEFAULTS | config, weights, words

    def w(self, name):
        return self.weights[name]

    def embedding(self, side):
        return self.w("Wemb" if self.config["tied-embeddings-all"] else f"{side}_Wemb")

    def gru(self, name, x, h):
        """Of the source and of the top: two matrices for the gates, two for the candidate."""
        r, z = np.split(sigma(x @ self.w(f"{name}_W") + h @ self.w(f"{name}_U") + self.w(f"{name}_b")[0]), 2, axis=-1)
        new = np.tanh(x @ self.w(f"{name}_Wx") + r * (h @ self.w(f"{name}_Ux")) + self.w(f"{name}_bx")[0])
        return (1 - z) * new + z * h

    def lstm_gates(self, pre, cell):
        f, i, c, o = np.split(pre, 4, axis=-1)
        cell = sigma(f) * cell + sigma(i) * np.tanh(c)
        return sigma(o) * np.tanh(cell), cell

    def cell(self, kind, name, x, state):
        """One step of a recurrent layer: state is (h, c), of which a GRU has no c."""
        h, c = state
        if kind == "gru":
            return self.gru(name, x, h), c
        pre = x @ self.w(f"{name}_W") + h @ self.w(f"{name}_U") + self.w(f"{name}_b")[0]
        return self.lstm_gates(pre, c)

    def run(self, name, rows, backward):
        """A layer over a sentence, from the state zero."""
        state, out = (np.zeros(self.config["dim-source"]),) * 2, []
        for x in rows[::-1] if backward else rows:
            state = self.cell(self.config["source-cell"], name, x, state)
            out.append(state[0])
        return np.array(out[::-1] if backward else out)

    def encode(self, ids):
        rows = self.embedding("source")[ids]
        for layer in range(1, self.config["source-depth"] + 1):
            out = self.run(f"source_l{layer}_forward", rows, False)
            if self.config["source-type"] == "bidirectional" or layer == 1:
                out = np.concatenate([out, self.run(f"source_l{layer}_backward", rows, True)], axis=1)
            rows = out + rows if self.config["skip"] and layer >= 3 else out
        return rows

    def start(self, s):
        """The states (h, c) of all layers of the target, from the bottom up, of one hypothesis."""
        h = np.tanh(s.mean(axis=0, keepdims=True) @ self.w("start_W") + self.w("start_b"))
        top = np.zeros((1, self.config.get("dim-top", self.config["dim-emb"])))
        return [(h, np.zeros_like(h))] + [(top, top)] * self.config["top-depth"]

    def attend(self, h, x, s):
        """d_j = tanh(W h + V x)·tanh(U s_j), α = softmax(d), c = Σ α_j s_j."""
        query = np.tanh(h @ self.w("attention_W") + x @ self.w("attention_Wx"))
        alpha = softmax(query @ np.tanh(s @ self.w("attention_U")).T)
        return alpha, alpha @ s

    def bottom(self, x, state, s):
        h, cell = state
        alpha, c = self.attend(h, x, s)
        given = x @ self.w("target_Wx") + c @ self.w("target_U") + self.w("target_b")[0]
        recurrent = h @ self.w("target_W")
        if self.config["target-cell"] == "lstm":
            return alpha, self.lstm_gates(given + recurrent, cell)
        (r, u, new), (r_h, u_h, new_h) = np.split(given, 3, axis=-1), np.split(recurrent, 3, axis=-1)
        r, u = sigma(r + r_h), sigma(u + u_h)
        return alpha, (u * h + (1 - u) * np.tanh(r * new_h + new), cell)

    def fully_connected(self, h):
        """h^k = relu(W^k h^{k-1} + h^{k-2} for odd k above 1), relu within [0, 10]."""
        layers = [h]
        for k in range(1, self.config["fc-depth"] + 1):
            pre = layers[-1] @ self.w(f"fc_W{k}") + self.w(f"fc_b{k}")[0]
            if k >= 3 and k % 2 == 1:
                pre = pre + layers[-2]
            layers.append(np.clip(pre, 0, 10))
            self.words["largest"] = max(self.words["largest"], pre.max())
        return layers[-1]

    def top(self, x, states):
        kind, new = self.config["top"], []
        if kind == "tanh":
            return np.tanh(x @ self.w("top_W") + self.w("top_b")[0]), states
        if kind == "none":
            return x, states
        for layer, state in enumerate(states, 1):
            new.append(self.cell(kind, f"top_l{layer}", x, state))
            x = new[-1][0] + x if self.config["skip"] and layer >= 2 else new[-1][0]
        return x, new

    def step(self, previous, states, s):
        """Of several hypotheses, whose last words are `previous`: attention, logits, new states."""
        embedding = self.embedding("target")
        x = np.zeros((1, self.config["dim-emb"])) if previous is None else embedding[previous]
        alpha, bottom = self.bottom(x, states[0], s)
        hidden, tops = self.top(self.fully_connected(bottom[0]), states[1:])
        output = embedding if self.config["tied-embeddings-all"] else self.w("output_Wt")
        return alpha, hidden @ output.T + self.w("output_b")[0], [bottom] + tops


Hypothesis = collections.namedtuple("Hypothesis", "parent words aligned score")


class Search:
    """Beam search over one model or the average of several. `closest` is how near any decision was."""

    def __init__(self, models, beam, early=None, candidates=None, unknown=False):
        self.models, self.beam, self.early, self.candidates, self.unknown = models, beam, early, candidates, unknown
        self.closest = math.inf

    def decide(self, kept, dropped):
        self.closest = min(self.closest, abs(kept - dropped))

    def log_probabilities(self, previous, encoded, states, allowed):
        """The average of the models' over the words `allowed`, what the first model looked at, and all new states."""
        total, new, first = 0, [], None
        for model, s, state in zip(self.models, encoded, states):
            alpha, logits, state = model.step(previous, state, s)
            total = total + np.log(softmax(logits[:, allowed]))
            new.append(state)
            first = alpha if first is None else first
        return total / len(self.models), first, new

    def expand(self, live, logs, alpha, allowed, places):
        """The best continuations."""
        continued = []
        for row, hypothesis in enumerate(live):
            aligned = int(alpha[row, :-1].argmax())  # a word, not the end
            for word, log in zip(allowed, logs[row]):
                if self.unknown or word != UNK:
                    continued.append((hypothesis.score + log, row, int(word), aligned))
        continued.sort(key=lambda one: -one[0])
        self.decide(continued[places - 1][0], continued[places][0])
        return [Hypothesis(row, live[row].words + [word], live[row].aligned + [aligned], score)
                for score, row, word, aligned in continued[:places]]

    def run(self, ids):
        """→ [(value, hypothesis)], best first."""
        encoded = [model.encode(ids) for model in self.models]
        states = [model.start(s) for model, s in zip(self.models, encoded)]
        allowed = np.arange(self.models[0].words["target"]) if self.candidates is None else self.candidates(ids)
        live, finished, places, previous = [Hypothesis(0, [], [], 0.0)], [], self.beam, None
        while live:
            logs, alpha, states = self.log_probabilities(previous, encoded, states, allowed)
            best = self.expand(live, logs, alpha, allowed, places)
            length = len(best[0].words)
            ends = lambda hypothesis: hypothesis.words[-1] == EOS or length >= LENGTH_FACTOR * len(ids)
            finished += [(one.score / length ** ALPHA, one) for one in best if ends(one)]
            live = [one for one in best if not ends(one)]
            places, previous, rows = len(live), [one.words[-1] for one in live], [one.parent for one in live]
            states = [[tuple(part[rows] for part in layer) for layer in model] for model in states]
            if self.early is not None and finished and live:
                bar, top = max(one.score for _, one in finished) - self.early, max(one.score for one in live)
                self.decide(top, bar)
                if top < bar:
                    break
        finished.sort(key=lambda pair: -pair[0])
        for (a, _), (b, _) in zip(finished, finished[1:]):
            self.decide(a, b)
        return finished


class Text:
    """Whole words, separated by spaces."""

    def __init__(self, folder):
        manifest = tomllib.loads((folder / "model.toml").read_text())
        self.source, self.target = ((folder / name).read_text().split() for name in manifest["vocabularies"])
        self.ids = {word: at for at, word in enumerate(self.source)}
        self.shared = len(set(manifest["vocabularies"])) == 1

    def encode(self, line):
        return [self.ids.get(word, UNK) for word in line.split(" ") if word] + [EOS]

    def decode(self, hypothesis, copied=None):
        words = [self.target[word] if copied is None or word != UNK else copied[at]
                 for word, at in zip(hypothesis.words, hypothesis.aligned)]
        return " ".join(words[:-1] if hypothesis.words[-1] == EOS else words)

    def candidates(self, pairs):
        """The end, the unknown and the best candidates of each word; tied vocabularies add the source's own words.
        Filled up to a multiple of 8 from the most frequent on, as every shortlist of dyno."""
        known = {word: at for at, word in enumerate(self.target)}
        best = collections.defaultdict(dict)
        for target, source, probability in pairs:
            best[self.ids.get(source, UNK)][known.get(target, UNK)] = float(probability)

        def select(ids):
            chosen = {EOS, UNK} | (set(ids) if self.shared else set())
            for word in ids:
                chosen |= set(sorted(best[word], key=lambda target: (-best[word][target], -target))[:CANDIDATES])
            more = (word for word in range(len(self.target)) if word not in chosen)
            while len(chosen) % 8 and (word := next(more, None)) is not None:
                chosen.add(word)
            return np.array(sorted(chosen))
        return select


def shapes(config, source_words, target_words):
    """Every tensor with its shape."""
    c = DEFAULTS | config
    e, s, r, a = c["dim-emb"], c["dim-source"], c["dim-target"], c["dim-attention"]
    both = c["source-type"] == "bidirectional"

    def cell(kind, name, inputs, width):
        if kind == "lstm":
            return {f"{name}_W": (inputs, 4 * width), f"{name}_U": (width, 4 * width), f"{name}_b": (1, 4 * width)}
        return {f"{name}_W": (inputs, 2 * width), f"{name}_U": (width, 2 * width), f"{name}_b": (1, 2 * width),
                f"{name}_Wx": (inputs, width), f"{name}_Ux": (width, width), f"{name}_bx": (1, width)}

    all_shapes, inputs = {}, e
    for layer in range(1, c["source-depth"] + 1):
        ways = ["forward", "backward"] if both or layer == 1 else ["forward"]
        for way in ways:
            all_shapes |= cell(c["source-cell"], f"source_l{layer}_{way}", inputs, s)
        inputs = len(ways) * s
    gates = 4 if c["target-cell"] == "lstm" else 3
    all_shapes |= {"start_W": (inputs, r), "start_b": (1, r), "target_b": (1, gates * r)}
    for name, rows in (("W", r), ("Wx", e), ("U", inputs)):
        all_shapes |= {f"attention_{name}": (rows, a), f"target_{name}": (rows, gates * r)}
    width = r
    for k in range(1, c["fc-depth"] + 1):
        all_shapes |= {f"fc_W{k}": (width, c["dim-fc"]), f"fc_b{k}": (1, c["dim-fc"])}
        width = c["dim-fc"]
    top = c.get("dim-top", e)
    if c["top"] == "tanh":
        all_shapes |= {"top_W": (width, top), "top_b": (1, top)}
    elif c["top"] != "none":
        for layer in range(1, c["top-depth"] + 1):
            all_shapes |= cell(c["top"], f"top_l{layer}", width if layer == 1 else top, top)
    hidden = width if c["top"] == "none" else top
    words = {"Wemb": (source_words, e)} if c["tied-embeddings-all"] else {
        "source_Wemb": (source_words, e), "target_Wemb": (target_words, e), "output_Wt": (target_words, hidden)}
    return all_shapes | words | {"output_b": (1, target_words)}


def drawn(config, vocabularies, draw):
    """Weights of a size at which what is fed back, attended to and passed up all matter; within [-1, 1] as the paper's."""
    weights, gain = {}, 4.0 if config.get("top") == "lstm" else 1.6  # two of an LSTM's gates make what passes smaller
    source, target = ([len(words) for words in vocabularies.values()] * 2)[:2]
    for name, (rows, columns) in sorted(shapes(config, source, target).items()):
        reach = 0.3 if rows == 1 else 1.0 if "Wemb" in name or name == "output_Wt" else min(1.0, gain * math.sqrt(3 / rows))
        weights[name] = draw.uniform(-reach, reach, (rows, columns)).astype(np.float32)
    weights["output_b"][0, UNK] = draw.uniform(1, 4)  # so that there is something to replace
    return weights


def write_safetensors(path, weights):
    header, data = {"__metadata__": {"format": "dyno-1", "precision": "f32"}}, b""
    for name, values in sorted(weights.items()):
        start, data = len(data), data + values.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [start, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def read_safetensors(path):
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    return {name: np.frombuffer(raw[start:][slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"]).astype(np.float64)
            for name, entry in header.items() if name != "__metadata__"}


def write_model(folder, config, weights, vocabularies, candidates=None):
    folder.mkdir(exist_ok=True)
    write_safetensors(folder / "weights.f32.safetensors", weights)
    for name, words in vocabularies.items():
        (folder / name).write_text("\n".join(words) + "\n")
    names = (list(vocabularies) * 2)[:2]
    lines = ["format = 1", f"vocabularies = {json.dumps(names)}"]
    lines += [f'shortlist = {{ file = "{candidates}", first = 2, best = {CANDIDATES} }}'] if candidates else []
    lines += ["", "[files]"]
    for path in sorted(folder / name for name in [*vocabularies, "weights.f32.safetensors", *filter(None, [candidates])]):
        sha = hashlib.sha256(path.read_bytes()).hexdigest()
        lines.append(f'"{path.name}" = {{ bytes = {path.stat().st_size}, sha256 = "{sha}" }}')
    counts = [len(words) for words in vocabularies.values()]
    lines += ["", "[rnn-fc]", f"dim-vocabs = {(counts * 2)[:2]}"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in config.items()]
    (folder / "model.toml").write_text("\n".join(lines) + "\n")


def read_model(folder):
    config = tomllib.loads((folder / "model.toml").read_text())["rnn-fc"]
    return Model(config, read_safetensors(folder / "weights.f32.safetensors"),
                 {"target": config.pop("dim-vocabs")[1], "largest": 0.0})


def words_of(name, count):
    counts = collections.Counter((TEXT / name).read_text().split())
    return ["</s>", "<unk>"] + sorted(counts, key=lambda word: (-counts[word], word))[:count - 2]


def vocabularies_of(config, source=SOURCE, target=TARGET):
    english, german = words_of("source.en", source), words_of("reference.de", target)
    if not config["tied-embeddings-all"]:
        return {"source.txt": english, "target.txt": german}
    half = SOURCE // 2
    return {"vocab.txt": english[:half] + [word for word in german if word not in english[:half]][:SOURCE - half]}


def write_candidates(path, source, target):
    """Any list will do: what matters is that both sides read it alike."""
    draw = np.random.default_rng(2)
    with open(path, "w") as file:
        for word in source[2:]:
            for choice in draw.choice(target[2:], CANDIDATES + 4, replace=False):
                file.write(f"{choice} {word} {draw.random():.6f}\n")


def write_shared(out):
    lines = (TEXT / "source.en").read_text().splitlines()[::60]
    (out / "input.en").write_text("\n".join(lines + ODD) + "\n")
    write_candidates(out / "lex.s2t", words_of("source.en", SOURCE), words_of("reference.de", TARGET))


def decode(out, folder, models, text, draft=False):
    """Writes what `models` say to the input; returns how near the nearest decision was: 0 for a draft that says little."""
    lines = (out / "input.en").read_text().split("\n")[:-1]
    pairs = [line.split() for line in (out / "lex.s2t").read_text().splitlines()]
    candidates = text.candidates(pairs)
    folder.mkdir(exist_ok=True)
    closest = math.inf

    def best(name, copies=False, **options):
        nonlocal closest
        search = Search(models, **options)
        found = [search.run(text.encode(line))[0][1] if line.split() else None for line in lines]
        copied = [line.split() if copies else None for line in lines]
        texts = [text.decode(one, words) if one else "" for one, words in zip(found, copied)]
        (folder / name).write_text("\n".join(texts) + "\n")
        closest = min(closest, search.closest)

    def n_best(name):
        nonlocal closest
        search, rows = Search(models, BEAM), []
        for at, line in enumerate(lines):
            found = search.run(text.encode(line)) if line.split() else [(0.0, None)] * BEAM
            rows += [f"{at} ||| {text.decode(one) if one else ''} ||| F0= {value:.6f} ||| {value:.6f}"
                     for value, one in found[:BEAM]]
        (folder / name).write_text("\n".join(rows) + "\n")
        closest = min(closest, search.closest)

    best("beam6.early.out", beam=BEAM, early=DELTA)
    if draft and not various((folder / "beam6.early.out").read_text().splitlines()):
        return 0.0
    best("beam6.replaced.out", beam=BEAM, unknown=True, copies=True)
    copied = set((folder / "beam6.replaced.out").read_text().split()) - set(text.target)
    if draft and not copied:
        return 0.0
    best("greedy.out", beam=1)
    n_best("beam6.nbest")
    best("beam6.candidates.out", beam=BEAM, candidates=candidates)
    return closest


def various(translations):
    """Whether most lines differ, some are long, and some end before they must."""
    lengths = [len(line.split()) for line in translations]
    return len(set(translations)) > 8 and 3 < sum(lengths) / len(lengths) < 16 and sorted(lengths)[-5] > 6


def largest_system(name):
    """The last ensemble that a model completes, or itself: (folder, members)."""
    return [(name, [name]), *((folder, members) for folder, members in ENSEMBLES.items() if members[-1] == name)][-1]


def let_end(out, name, config, weights, vocabularies):
    """Writes the model with a bias for the end of the sentence at which translations are neither empty nor endless."""
    bias, step = 2.0, 3.0
    for _ in range(6):
        weights["output_b"][0, EOS] = bias
        write_model(out / name, config, weights, vocabularies)
        models = [read_model(out / member) for member in largest_system(name)[1]]
        search, text = Search(models, BEAM, early=DELTA), Text(out / name)
        lines = (out / "input.en").read_text().split("\n")[:6]
        lengths = [len(search.run(text.encode(line))[0][1].words) / len(text.encode(line)) for line in lines]
        if 0.3 < sum(lengths) / len(lengths) < 1.0:
            return
        bias, step = bias + (step if sum(lengths) > 0.6 * len(lengths) else -step), step / 1.6


def decode_all(out, name, draft):
    """Decodes a model, and first the ensemble that it completes, which has to say various things in its place."""
    nearest, largest = math.inf, 0.0
    for folder, members in dict([largest_system(name), (name, [name])]).items():
        models = [read_model(out / member) for member in members]
        closest = decode(out, out / folder, models, Text(out / name), draft and folder == largest_system(name)[0])
        nearest, largest = min(nearest, closest), max(largest, *(float(model.words["largest"]) for model in models))
        if draft and nearest <= CLEAR:
            break
    return nearest, largest


def make(out, given):
    out.mkdir(parents=True, exist_ok=True)
    write_shared(out)
    for name, config in KEPT.items():
        if given.only not in name:
            continue
        for seed in range(given.first, given.first + 1000):
            if not given.decode:
                draw = np.random.default_rng([seed, *name.encode()])
                let_end(out, name, config, drawn(config, vocabularies_of(config), draw), vocabularies_of(config))
            closest, largest = decode_all(out, name, draft=not given.decode)
            if closest > CLEAR or given.decode:
                break
        print(f"{name} draw {seed}: nearest decision {closest:.1e}, largest activation {largest:.1f}", flush=True)


def translate(folders):
    models, text = [read_model(folder) for folder in folders], Text(folders[0])
    for line in sys.stdin.read().splitlines():
        print(text.decode(Search(models, BEAM).run(text.encode(line))[0][1]) if line.split() else "")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--decode", action="store_true")
    arguments.add_argument("--model", type=pathlib.Path, nargs="+")
    arguments.add_argument("--out", type=pathlib.Path, default=GOLDENS)
    arguments.add_argument("--only", default="", help="models whose name has this in it")
    arguments.add_argument("--first", type=int, default=1, help="the first draw to try")
    given = arguments.parse_args()
    if given.model:
        translate(given.model)
    else:
        make(given.out, given)


if __name__ == "__main__":
    main()
