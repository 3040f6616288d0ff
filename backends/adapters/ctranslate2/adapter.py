"""CTranslate2 under the bench's protocol."""

import json
import os
import sys
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from protocol import batches, fail, options, serve  # noqa: E402

import ctranslate2  # noqa: E402
from generation import asked, search_of  # noqa: E402
import sentencepiece  # noqa: E402

# Longest line in pieces; CTranslate2 cuts what is longer. The converter writes positions for twice as many.
LONGEST = 1000
UNKNOWN = "<unk>"
# SentencePiece models of both sides, by the names that families of models give them.
SHARED = ["sentencepiece.bpe.model", "sentencepiece.model", "spiece.model", "vocab.spm"]


class Engine:
    def __init__(self, chosen):
        folder, settings = Path(chosen.model), chosen.settings
        self.source, self.target = tokenisers(folder, settings.get("vocabulary"))
        self.prefix = settings.get("source-prefix", "").split()
        self.forced = settings.get("target-prefix", "").split()
        search = search_of(folder) or {}
        self.beam, self.most = asked(settings, search)
        # A forced end takes the last word that there is room for.
        self.most -= bool(search.get("forced-end"))
        self.search = {"disable_unk": not search.get("unknown"), "length_penalty": search.get("length-power", 1.0)}
        if search.get("never"):
            self.search["suppress_sequences"] = [[word] for word in search["never"]]
        self.factor = settings.get("max-length-factor")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        # Where the engine itself ends the source, a second end would change the translation.
        self.end = [] if config.get("add_source_eos") else [config.get("eos_token") or "</s>"]
        self.has_map = (folder / "vmap.txt").is_file()
        # One line is divided among threads; of many lines each thread takes its own.
        within, beside = (chosen.cores, 1) if chosen.track == "latency-all" else (1, chosen.cores)
        self.translator = ctranslate2.Translator(
            str(folder), device="cpu", compute_type=settings["precision"],
            inter_threads=beside, intra_threads=within)

    def pieces(self, line):
        return self.prefix + self.source.encode(line, out_type=str)[:LONGEST] + self.end

    def submit(self, sources):
        """Starts one batch. Its longest source limits the lengths of the translations, as in Marian."""
        ends = 0 if self.end else 1
        longest = (max(map(len, sources)) + ends) * float(self.factor) if self.factor else self.most
        return self.translator.translate_batch(
            sources, target_prefix=[self.forced] * len(sources) if self.forced else None, beam_size=self.beam,
            max_input_length=0, max_decoding_length=min(int(longest), LONGEST), use_vmap=self.has_map,
            asynchronous=True, **self.search)

    def text(self, result):
        """The translation without blanks at its ends, as the tokenisers of transformers give it."""
        pieces = result.result().hypotheses[0][len(self.forced) :]
        return self.target.decode([piece for piece in pieces if piece != UNKNOWN]).strip()


def tokenisers(folder, named):
    """SentencePiece models of source and target."""
    pair = [folder / "source.spm", folder / "target.spm"]
    shared = [Path(named)] if named else [folder / name for name in SHARED]
    files = pair if not named and pair[0].is_file() else [path for path in shared if path.is_file()][:1] * 2
    if not files:
        fail(f"no SentencePiece model in {folder}: name one by the setting `vocabulary`")
    return [sentencepiece.SentencePieceProcessor(model_file=str(path)) for path in files]


def main():
    chosen = options()
    engine = Engine(chosen)

    def translate(lines):
        return [engine.text(result) for result in engine.submit([engine.pieces(line) for line in lines])]

    def translate_all(lines):
        """All batches are submitted at once, so that every thread has work."""
        sources = [engine.pieces(line) for line in lines]
        results = [None] * len(lines)
        for batch in batches(chosen, [len(source) for source in sources]):
            for at, result in zip(batch, engine.submit([sources[at] for at in batch])):
                results[at] = result
        return [engine.text(result) for result in results]

    # Under the track `server` each thread has a batch of its own, of the lines that waited when it began.
    serve(chosen, translate, translate_all, beside=chosen.cores)


main()
