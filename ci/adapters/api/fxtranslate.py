"""fxtranslate's own way, `MODEL LINES`: a Translator of the files' bytes."""

import sys
from pathlib import Path

sys.path.pop(0)  # this folder has files named like the packages

import fxtranslate  # noqa: E402

folder, lines = map(Path, sys.argv[1:])
files = ["model.intgemm.alphas.bin", "vocab.spm", "vocab.spm", "lex.s2t.bin"]
translator = fxtranslate.Translator(*((folder / name).read_bytes() for name in files))
for line in lines.open(encoding="utf-8"):
    print(translator.translate(line.rstrip("\n")))
