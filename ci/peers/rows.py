"""The rows of the speed table: models at the papers' true dimensions, in Marian's options; and words of drawn models."""

from collections import Counter
from pathlib import Path

TEXT = Path(__file__).resolve().parents[2] / "testsets/captions-en-de"

TRANSFORMER = {"type": "transformer", "transformer-heads": 8, "transformer-postprocess": "dan",
               "tied-embeddings-all": ""}
SSRU = {**TRANSFORMER, "transformer-decoder-autoreg": "rnn", "dec-cell": "ssru", "transformer-ffn-activation": "relu"}


class Row:
    """A model's options, the backend that runs it here, and the goals: our words/s over the others' best, at batch 1
    and batched (on one core; on all it is the same)."""

    def __init__(self, backend, goals, **options):
        self.backend, self.goals = backend, goals
        self.options = {name.replace("_", "-"): value for name, value in options.items()}


ROWS = {
    "ssru-6-1": Row("ssru", (7, 5.5), **SSRU, enc_depth=6, dec_depth=1, dim_emb=256,
                    transformer_dim_ffn=1024),
    "ssru-12-1": Row("ssru", (2.6, 3), **SSRU, enc_depth=12, dec_depth=1, dim_emb=512,
                     transformer_dim_ffn=2048),
    "aan-6-6": Row("transformer-aan", (5, 4.5), **TRANSFORMER, enc_depth=6, dec_depth=6,
                   transformer_decoder_autoreg="average-attention", transformer_dim_aan=256, dim_emb=256,
                   transformer_dim_ffn=2048),
    "gru-2-1": Row("gru", (16, 14), type="s2s", tied_embeddings_all="", enc_type="bidirectional",
                   enc_cell="gru", dec_cell="gru", enc_depth=2, dec_depth=1, dim_emb=256, dim_rnn=512),
    "self-6-1": Row("transformer-aan", (3.3, 3), **TRANSFORMER, enc_depth=6, dec_depth=1,
                    transformer_decoder_autoreg="self-attention", transformer_ffn_activation="relu", dim_emb=256,
                    transformer_dim_ffn=1024),
}


class Published:
    """A translator of Hugging Face at a published size: dimensions, goals as above, and the languages that each
    system is told."""

    def __init__(self, family, goals, words, layers, width, inner, heads, activation, ours="", theirs=""):
        self.family, self.goals, self.words, self.layers = family, goals, words, layers
        self.width, self.inner, self.heads, self.activation = width, inner, heads, activation
        self.languages = {"dyno": ours, "ctranslate2": theirs}

    @property
    def is_marian(self):
        return self.family == "marian"


PUBLISHED = {
    "opus-mt": Published("marian", (1.5, 1.5), words=58101, layers=6, width=512, inner=2048, heads=8,
                         activation="swish"),
    "nllb-600m": Published("m2m_100", (1.0, 1.3), words=256206, layers=12, width=1024, inner=4096, heads=16,
                           activation="relu", ours=', source-language = "en", target-language = "de"',
                           theirs=', source-prefix = "__en__", target-prefix = "__de__"'),
}


def frequent_words(number):
    """Words of the captions, the frequent ones first, then made-up ones: what stands between blanks, as in dyno's own
    drawn models."""
    counts = Counter()
    for name in ["source.en", "reference.de"]:
        counts.update((TEXT / name).read_text(encoding="utf-8").split())
    there = [word for word, _ in counts.most_common(number)]
    return there + [f"word-{at}" for at in range(number - len(there))]
