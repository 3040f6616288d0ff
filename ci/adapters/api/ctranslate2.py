"""CTranslate2's own way, `MODEL LINES FOLDER MOST`: its converter and `translate_batch`, transformers' tokens."""

import sys

sys.path.pop(0)  # this folder has files named like the packages

import ctranslate2  # noqa: E402
import transformers  # noqa: E402

model, lines, folder, most = sys.argv[1:]
ctranslate2.converters.TransformersConverter(model).convert(folder, quantization="int8")
translator = ctranslate2.Translator(folder, compute_type="int8", intra_threads=1)
tokenizer = transformers.AutoTokenizer.from_pretrained(model)
for line in open(lines, encoding="utf-8"):
    source = tokenizer.convert_ids_to_tokens(tokenizer.encode(line.rstrip("\n")))
    target = translator.translate_batch([source], beam_size=1, max_decoding_length=int(most))[0].hypotheses[0]
    print(tokenizer.decode(tokenizer.convert_tokens_to_ids(target), skip_special_tokens=True))
