"""Converts a GGUF file, `convert.py FILE FOLDER`, into the graphs that OpenVINO GenAI makes of it at each start.

The reader of GGUF files opens them to be written, which a sandbox forbids, and writes its graphs beside them.
"""

import shutil
import sys
from pathlib import Path

import openvino_genai

file, made = map(Path, sys.argv[1:3])
made.mkdir()
copy = made / "model.gguf"
shutil.copyfile(file, copy)
openvino_genai.LLMPipeline(copy, "CPU", enable_save_ov_model=True)
copy.unlink()
