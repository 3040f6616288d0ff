"""One TOML file per model: what it is ([marian], Marian's own keys), what it learns from, and how.

    name = "gru"                 the product's directory in the work directory
    source = "en"                languages, to name the validation files <set>.<language>
    target = "de"
    validation = ["val"]         the sets to choose weights on, by the mean of their BLEU
    validation_lines = 200       of each set while training: its first so many; all if not said
    shortlist = "vmap.txt"       instead of lex.s2t, the lexical one
    frequent = 100               pieces that its shortlist offers to every line: 300 if not said
    shipped = ["int8"]           the precisions of the model directory: int8 and f16 if not said
    data = "captions"            the text, described for the card in configs/data/<data>.toml
    [[corpora]]                  source, target: file names; weight: times seen in a pass, a fraction being a chance;
                                 short_weight: a further factor for sources of up to three words
    [marian]                     the architecture; copied verbatim into the exported model.toml
    [training]                   the fields of `Training` below
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

FREQUENT = 300


@dataclass
class Training:
    updates: int                # the length of the run; the learning rate reaches its floor there
    seed: int = 1
    start_from: str = ""        # weights (in the work directory) to fine-tune instead of random ones
    batch_tokens: int = 1500    # target tokens a batch, padding included
    # Post-norm stacks of this size learn at 5e-4 and stall at 1.2e-3 and above.
    learning_rate: float = 5e-4
    optimiser: str = "adam"     # or "muon", for the matrices inside the layers
    warmup: int = 300
    decay_from: float = 0.3     # the part of the run after which the rate falls linearly …
    floor: float = 0.05         # … to this part of the peak
    dropout: float = 0.1
    label_smoothing: float = 0.1
    sample_alpha: float = 0.0   # > 0: subword regularisation of the source side
    average_decay: float = 0.999  # exponential moving average of the weights, used for validation
    clip_norm: float = 1.0
    validate_every: int = 500   # updates
    snapshot_every: int = 500   # updates; the last ten are kept for averaging
    checkpoint_minutes: float = 3.0


@dataclass
class Config:
    name: str
    source: str
    target: str
    marian: dict
    training: Training
    corpora: list[dict] = field(default_factory=list)
    validation: list[str] = field(default_factory=lambda: ["val"])
    validation_lines: int | None = None
    data: str = "captions"
    taught: str = "taught"                                           # the sentence of its card on a student's teachers
    shortlist: str = "lex.s2t"                                       # the product that goes along: or vmap.txt
    frequent: int = FREQUENT
    shipped: list[str] = field(default_factory=lambda: ["int8", "f16"])


def load(path: Path) -> Config:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Config(**{**table, "training": Training(**table["training"])})
