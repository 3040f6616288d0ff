"""ONNX Runtime GenAI's own way, `MODEL LINES MESSAGE MOST`: a generator for each line, which keeps nothing.

The template of the chat is written out here.
"""

import sys
from pathlib import Path

sys.path.pop(0)  # this folder has files named like the packages

import onnxruntime_genai  # noqa: E402

folder, lines, message, most = sys.argv[1:]
model = onnxruntime_genai.Model(folder)
tokenizer = onnxruntime_genai.Tokenizer(model)
for line in Path(lines).read_text(encoding="utf-8").removesuffix("\n").split("\n"):
    text = message.replace("{line}", line)
    ids = tokenizer.encode(f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n")
    search = onnxruntime_genai.GeneratorParams(model)
    search.set_search_options(max_length=len(ids) + int(most), do_sample=False)
    generator, said, stream = onnxruntime_genai.Generator(model, search), "", tokenizer.create_stream()
    generator.append_tokens(ids)
    while not generator.is_done():
        generator.generate_next_token()
        if generator.get_next_tokens()[0] not in tokenizer.eos_token_ids:
            said += stream.decode(generator.get_next_tokens()[0])
    print(next((text.strip() for text in said.split("\n") if text.strip()), ""))
