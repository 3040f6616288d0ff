"""LibreTranslate's own way, `LINES`: the Python API of Argos Translate, on which its server is built."""

import sys
sys.path.pop(0)
from argostranslate import translate
for line in open(sys.argv[1], encoding="utf-8"):
    print(translate.get_translation_from_codes("en", "de").hypotheses(line.rstrip("\n"), 1)[0].value)
