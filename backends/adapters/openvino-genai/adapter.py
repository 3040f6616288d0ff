"""OpenVINO GenAI under the bench's protocol: a language model that answers each line by a prompt."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from language import Rule  # noqa: E402
from protocol import options, serve  # noqa: E402

import openvino_genai as genai  # noqa: E402


class Engine:
    def __init__(self, chosen):
        # Keys and values of one line would serve the next one that begins alike, parts of lines included.
        schedule = genai.SchedulerConfig()
        schedule.enable_prefix_caching = False
        self.pipeline = genai.LLMPipeline(chosen.model, "CPU", scheduler_config=schedule,
                                          INFERENCE_NUM_THREADS=chosen.cores)
        self.tokenizer = self.pipeline.get_tokenizer()
        self.message, self.rule = chosen.settings["prompt"], Rule(chosen.settings)

    def text(self, line):
        """The answer to a line. It ends as soon as it is whole, whatever the model would add."""
        said = []

        def hear(piece):
            said.append(piece)
            whole = self.rule.is_whole("".join(said).encode())
            return genai.StreamingStatus.STOP if whole else genai.StreamingStatus.RUNNING

        config = genai.GenerationConfig(do_sample=False, max_new_tokens=self.rule.most(self.tokens(line)))
        self.pipeline.generate(self.prompt(line), config, hear)
        return self.rule.line("".join(said).encode())

    def tokens(self, line):
        return self.tokenizer.encode(line, add_special_tokens=False).input_ids.shape[1]

    def prompt(self, line):
        """Ids of a line's prompt, in the chat template of the model."""
        text, has_template = self.message.replace("{line}", line), bool(self.tokenizer.chat_template)
        if has_template:
            text = self.tokenizer.apply_chat_template([{"role": "user", "content": text}], True,
                                                      extra_context={"enable_thinking": False})
        return self.tokenizer.encode(text, add_special_tokens=not has_template)

    def translate(self, lines):
        return [self.text(line) for line in lines]


def main():
    chosen = options()
    engine = Engine(chosen)
    serve(chosen, engine.translate, engine.translate)


if __name__ == "__main__":
    main()
