"""OpenVINO GenAI's own way, `MODEL LINES MESSAGE MOST`: a message for each line, and all that the model says to it.

The pipeline applies the model's template itself. It has keys and values in blocks, as in the adapter.
"""

import sys
from pathlib import Path

sys.path.pop(0)  # this folder has files named like the packages

import openvino_genai  # noqa: E402

model, lines, message, most = sys.argv[1:]
blocks = openvino_genai.SchedulerConfig()
blocks.enable_prefix_caching = False
pipeline = openvino_genai.LLMPipeline(model, "CPU", scheduler_config=blocks, INFERENCE_NUM_THREADS=1)
for line in Path(lines).read_text(encoding="utf-8").removesuffix("\n").split("\n"):
    said = str(pipeline.generate(message.replace("{line}", line), max_new_tokens=int(most), do_sample=False))
    print(next((text.strip() for text in said.split("\n") if text.strip()), ""))
