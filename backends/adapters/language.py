"""What adapters of language models share: which part of what a model says is the answer, and how long it may be."""

import json

# Tokens of an answer beyond the line's own measure: a short line may need them.
MORE = 16
# Lines whose prompts begin alike up to the line.
PROBES = ["", "a", "A b", " a", "\ta", "7", "(", "Ä", "\u6771", "\"x"]


class Rule:
    """Rule by which what a model says, in bytes, becomes one line; from the settings of a campaign."""

    def __init__(self, settings):
        self.marks = [mark.encode() for mark in json.loads(settings.get("answer-marks", "[]"))]
        self.factor, self.greatest = float(settings["max-length-factor"]), settings.get("max-length")

    def most(self, tokens):
        """Most tokens of the answer to a line of so many."""
        measure = int(max(0, tokens) * self.factor) + MORE
        return max(1, min(measure, int(self.greatest or measure)))

    def is_whole(self, said):
        """Whether `said` holds the answer, whatever may follow."""
        return self.marked(said) is not None if self.marks else b"\n" in said.lstrip()

    def line(self, said):
        """The one line of an answer: between the marks, else the first one with text."""
        if self.marks and self.marks[0] in said:
            inner = self.marked(said)
            said = b" ".join((said.partition(self.marks[0])[2] if inner is None else inner).split())
        lines = (line.strip() for line in said.decode("utf-8", "replace").split("\n"))
        return next((line for line in lines if line), "")

    def marked(self, said):
        """What stands between the marks; None without both."""
        _, before, rest = said.partition(self.marks[0])
        text, after, _ = rest.partition(self.marks[1])
        return text if before and after else None
