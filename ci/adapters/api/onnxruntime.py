"""onnxruntime's own way, `MODEL LINES MOST`: Optimum's class over it, with the `generate` of transformers."""

import sys

sys.path.pop(0)  # this folder has files named like the packages

from optimum.onnxruntime import ORTModelForSeq2SeqLM  # noqa: E402
from transformers import MarianTokenizer  # noqa: E402

model, lines, most = sys.argv[1:]
tokenizer, network = MarianTokenizer.from_pretrained(model), ORTModelForSeq2SeqLM.from_pretrained(model)
for line in open(lines, encoding="utf-8"):
    source = tokenizer(line.rstrip("\n"), return_tensors="pt")
    ids = network.generate(**source, num_beams=1, max_length=int(most))
    print(tokenizer.decode(ids[0], skip_special_tokens=True))
