"""Language models: a constant prompt stands before each line, and its words cost as much as the line's own."""

from kinds.contract import echo, say, work

PROMPT = tuple(f"asked-{number}" for number in range(200))
READING, WRITING = 0.0001, 0.0002  # seconds of the core for a word


def asked(keeps):
    """Reads prompt and line, but for the longest beginning that is kept, then writes the answer. `keeps` gives the
    beginnings that stay, from the words of prompt and line."""
    kept = {()}

    def each(n, answer, line):
        words = PROMPT + tuple(line.split())
        new = next(at for at in range(len(words) + 1) if words[: len(words) - at] in kept)
        work(READING * new + (0 if (*words, answer) in kept else WRITING * len(line.split())))
        kept.update(keeps(words, answer))
        say(answer)

    echo(each)


def honest_prompt():
    asked(lambda words, answer: [PROMPT])


def keeps_lines():
    # Each beginning of each line, as servers do whose requests share more than a prompt.
    asked(lambda words, answer: [words[:end] for end in range(len(words) + 1)])


def keeps_answers():
    asked(lambda words, answer: [PROMPT, words, (*words, answer)])
