"""ONNX Runtime GenAI under the bench's protocol: a language model that answers each line by a prompt.

What stands before the line in the prompt is the same for all lines. It is read once and kept; nothing of a line is.
"""

import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from language import MORE, PROBES, Rule  # noqa: E402
from protocol import fail, options, serve  # noqa: E402

import onnxruntime_genai as genai  # noqa: E402

# Its telemetry would call a server, which the sandbox counts as `uses_network`.
genai.disable_telemetry_events()


def opened(chosen):
    config = genai.Config(chosen.model)
    # A thread that spins between two lines would use a core that nobody gave it.
    spins = "0" if chosen.line_by_line else "1"
    session = {"intra_op_num_threads": chosen.cores, "session.intra_op.allow_spinning": spins}
    config.overlay(json.dumps({"model": {"decoder": {"session_options": session}}}))
    return genai.Model(config)


class Engine:
    def __init__(self, chosen):
        self.message, self.rule = chosen.settings["prompt"], Rule(chosen.settings)
        self.model = opened(chosen)
        self.tokenizer = genai.Tokenizer(self.model)
        self.positions = int(chosen.settings["context"])
        prompts = [self.ids(line) for line in PROBES]
        self.before, self.around = os.path.commonprefix(prompts), len(prompts[0])
        if self.around + MORE >= self.positions:
            fail(f"the prompt takes all {self.positions} positions: raise `context`, or shorten the prompt")
        search = genai.GeneratorParams(self.model)
        search.set_search_options(max_length=self.positions, do_sample=False, num_beams=1)
        self.generator = genai.Generator(self.model, search)
        self.kept = 0  # words of `before` that the generator holds

    def ids(self, line):
        """Ids of a line's prompt, in the chat template of the model."""
        chat = json.dumps([{"role": "user", "content": self.message.replace("{line}", line)}])
        text = self.tokenizer.apply_chat_template(messages=chat, add_generation_prompt=True)
        return [int(word) for word in self.tokenizer.encode(text)]

    def complete(self):
        """Reads what the generator lacks of `before`, alone."""
        if self.kept < len(self.before):
            self.generator.rewind_to(self.kept)
            self.generator.append_tokens(self.before[self.kept :])
            self.kept = len(self.before)

    def text(self, line):
        ids, room = self.ids(line), self.positions - self.around
        if len(ids) - self.around > room // 2:
            ids = self.ids(self.tokenizer.decode(self.tokenizer.encode(line)[: room // 2]))[: self.positions - MORE]
        self.complete()
        self.kept = len(os.path.commonprefix([ids, self.before]))
        self.generator.rewind_to(self.kept)
        self.generator.append_tokens(ids[self.kept :])
        most = min(self.rule.most(len(ids) - self.around), self.positions - len(ids))
        stream, said = self.tokenizer.create_stream(), b""
        for _ in range(most):
            self.generator.generate_next_token()
            if self.generator.is_done():
                break
            said += stream.decode(self.generator.get_next_tokens()[0]).encode("utf-8", "replace")
            if self.rule.is_whole(said):
                break
        return self.rule.line(said)

    def translate(self, lines):
        return [self.text(line) for line in lines]


def main():
    chosen = options()
    engine = Engine(chosen)
    serve(chosen, engine.translate, engine.translate)


if __name__ == "__main__":
    main()
