"""transformers' own way: `generate` on one line at a time. `MODEL LINES MOST`."""

import sys

sys.path.pop(0)  # this folder has files named like the packages

import torch  # noqa: E402
from transformers import MarianMTModel, MarianTokenizer  # noqa: E402

model, lines, most = sys.argv[1:]
torch.set_num_threads(1)
tokenizer, network = MarianTokenizer.from_pretrained(model), MarianMTModel.from_pretrained(model)
for line in open(lines, encoding="utf-8"):
    source = tokenizer(line.rstrip("\n"), return_tensors="pt")
    ids = network.generate(**source, num_beams=1, max_length=int(most))
    print(tokenizer.decode(ids[0], skip_special_tokens=True))
