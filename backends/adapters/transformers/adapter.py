"""Hugging Face transformers under the bench's protocol: `generate` of an encoder-decoder, in PyTorch."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from protocol import fail, options, serve  # noqa: E402

import torch  # noqa: E402
from generation import MOST, asked, search_of  # noqa: E402
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer  # noqa: E402

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class Engine:
    def __init__(self, chosen):
        settings = chosen.settings
        if settings["precision"] not in PRECISIONS:
            fail(f"transformers: precision {settings['precision']!r} is none of {', '.join(PRECISIONS)}")
        named = {"src_lang": settings.get("source-language"), "tgt_lang": settings.get("target-language")}
        languages = {name: language for name, language in named.items() if language}
        self.tokenizer = AutoTokenizer.from_pretrained(chosen.model, **languages)
        precision = PRECISIONS[settings["precision"]]
        self.model = AutoModelForSeq2SeqLM.from_pretrained(chosen.model, dtype=precision).eval()
        self.prefix = settings.get("source-prefix", "")
        positions = getattr(self.model.config, "max_position_embeddings", None) or 1 << 30
        self.longest = min(int(settings.get("max-length", MOST)), positions)
        beam, most = asked(settings, search_of(chosen.model))
        self.most, self.factor = min(most, positions), settings.get("max-length-factor")
        self.search = {"num_beams": beam, "do_sample": False}
        if "target-language" in settings:
            self.search["forced_bos_token_id"] = self.language(settings["target-language"])

    def language(self, name):
        """Id of a language's token; M2M-100 names tokens and languages differently."""
        if hasattr(self.tokenizer, "get_lang_id"):
            return self.tokenizer.get_lang_id(name)
        return self.tokenizer.convert_tokens_to_ids(name)

    def translate(self, lines):
        texts = [self.prefix + line for line in lines]
        batch = self.tokenizer(texts, return_tensors="pt", padding=True, truncation=True,
                               max_length=self.longest)
        # The longest source of a batch limits the lengths of its translations.
        longest = int(batch["input_ids"].shape[1] * float(self.factor)) if self.factor else self.most
        with torch.inference_mode():
            # Its length counts the word that the decoder begins with.
            ids = self.model.generate(**batch, **self.search, max_length=max(1, min(longest, self.most)) + 1)
        return self.tokenizer.batch_decode(ids, skip_special_tokens=True)


def main():
    chosen = options()
    torch.set_num_threads(chosen.cores)
    serve(chosen, Engine(chosen).translate)


main()
