"""llama.cpp under the bench's protocol: a language model that answers each line by a prompt.

What stands before the line in the prompt is the same for all lines. It is read once and kept; nothing of a line is.
"""

import os
import sys
from collections import Counter
from time import perf_counter_ns

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from language import MORE, PROBES, Rule  # noqa: E402
from protocol import fail, options, report, serve  # noqa: E402

import jinja2.sandbox  # noqa: E402
from library import Model  # noqa: E402

# Lines that are answered together, unless the campaign says otherwise: sums go by the rows beside them, and so do
# the answers to lines with company.
TOGETHER = 1


# Version of the library that prepare.py brings.
VERSION = "0.4.0"


class Prompt:
    """From a line to the ids of its prompt; `before` are the first ids of all prompts."""

    def __init__(self, model, message):
        self.model, self.message, self.template = model, message, None
        template = model.chat()
        if template:
            environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
            environment.globals["raise_exception"] = fail
            self.template = environment.from_string(template)
        self.start = model.start()
        self.start_text = model.piece(self.start, True).decode("utf-8", "replace") if self.start is not None else ""
        prompts = [self.ids(line) for line in PROBES]
        self.around = len(prompts[0])
        self.before = os.path.commonprefix(prompts)

    def text(self, line):
        message = self.message.replace("{line}", line)
        if not self.template:
            return message
        chat = [{"role": "user", "content": message}]
        return self.template.render(messages=chat, add_generation_prompt=True, enable_thinking=False,
                                    bos_token=self.start_text)

    def ids(self, line):
        if self.model.tokens(line) == self.model.tokens(line, control=False):
            ids = self.model.tokens(self.text(line))
        else:  # control words in a line are text
            left, right = self.text("\ue000").split("\ue000")
            ids = self.model.tokens(left) + self.model.tokens(line, control=False) + self.model.tokens(right)
        if self.start is not None and ids[:1] != [self.start]:
            ids.insert(0, self.start)
        return ids


class Account:
    """Counts of tokens and their time, by the names of FORMAT.md. A step with a prompt in it counts as reading."""

    def __init__(self, weight_bytes):
        self.counts = Counter({"bytes of weights": weight_bytes})

    def add(self, rows, words, begun, ns):
        """Adds a step of so many rows, which gave so many words, `begun` of them the first of their answers."""
        work, tokens, count = ("reading", "read", rows - (words - begun)) if begun else ("writing", "written", words)
        self.counts[f"nanoseconds {work}"] += ns
        self.counts[f"tokens {tokens}"] += count

    def add_firsts(self, lines, ns):
        """Adds the first tokens of so many lines, each of which waited so long."""
        self.counts["first tokens"] += lines
        self.counts["nanoseconds to first tokens"] += lines * ns


class Answer:
    """The answer to a line, while it is written into a sequence."""

    def __init__(self, line, ids, most):
        self.line, self.position, self.most = line, len(ids), most
        self.said, self.words = b"", 0


class Engine:
    def __init__(self, chosen, together):
        settings = chosen.settings
        positions = int(settings["context"])
        self.model = Model(chosen.model, chosen.cores, positions, together)
        self.positions = self.model.positions
        self.prompt = Prompt(self.model, settings["prompt"])
        self.rule = Rule(settings)
        if len(self.prompt.before) + MORE >= self.positions:
            fail(f"the prompt takes all {self.positions} positions: raise `context`, or shorten the prompt")
        self.account = Account(self.model.weight_bytes())
        # Words of `before` that each sequence holds.
        self.kept = [0] * together
        for sequence in range(together):
            self.complete(sequence)

    def answers(self, lines):
        """Answers in the order of the lines. A line takes the sequence that another one leaves."""
        texts, waiting, active = [None] * len(lines), list(enumerate(lines))[::-1], {}
        arrival = perf_counter_ns()
        while waiting or active:
            start, going = perf_counter_ns(), len(active)
            rows = [(answer.last, answer.position, sequence, True) for sequence, answer in active.items()]
            for answer in active.values():
                answer.position += 1
            for sequence in range(len(self.kept)):
                if sequence not in active and waiting:
                    active[sequence] = self.begin(sequence, *waiting.pop(), rows)
            words, begun = self.model.read(rows), len(active) - going
            self.account.add(len(rows), len(words), begun, perf_counter_ns() - start)
            self.account.add_firsts(begun, perf_counter_ns() - arrival)
            for (_, _, sequence, _), word in zip([row for row in rows if row[3]], words, strict=True):
                answer = active[sequence]
                if self.ends(answer, word):
                    texts[answer.line] = self.rule.line(answer.said)
                    del active[sequence]
        return texts

    def begin(self, sequence, number, line, rows):
        """Adds the rows of a line's prompt, behind what its sequence keeps."""
        ids = self.prompt.ids(line)
        room = self.positions - self.prompt.around
        if len(ids) - self.prompt.around > room // 2:
            line = b"".join(map(self.model.piece, self.model.tokens(line, control=False)[: room // 2]))
            ids = self.prompt.ids(line.decode("utf-8", "ignore"))
        self.complete(sequence)
        kept = len(os.path.commonprefix([ids, self.prompt.before]))
        self.model.cut(sequence, kept)
        self.kept[sequence] = kept
        rows += [(ids[at], at, sequence, at + 1 == len(ids)) for at in range(kept, len(ids))]
        most = self.rule.most(len(ids) - self.prompt.around)
        return Answer(number, ids, max(1, min(most, self.positions - len(ids))))

    def complete(self, sequence):
        """Reads what a sequence lacks of `before`, alone: sums go by the rows beside them."""
        before, kept = self.prompt.before, self.kept[sequence]
        if kept < len(before):
            self.model.cut(sequence, kept)
            self.model.read([(before[at], at, sequence, False) for at in range(kept, len(before))])
            self.kept[sequence] = len(before)

    def ends(self, answer, word):
        """Adds a word to an answer; whether it is over."""
        if self.model.ends(word):
            return True
        answer.said += self.model.piece(word)
        answer.last, answer.words = word, answer.words + 1
        return self.rule.is_whole(answer.said) or answer.words >= answer.most


def main():
    chosen = options()
    together = 1 if chosen.line_by_line else chosen.batch_lines or TOGETHER
    engine = Engine(chosen, together)
    serve(chosen, engine.answers, engine.answers, together=together)
    report(chosen, "llama.cpp", VERSION, engine.account.counts)


if __name__ == "__main__":
    main()
