"""The networks, one file a family; `build` picks by the `type` key of Marian's configuration."""

from recipe.models.network import Network


def build(marian: dict, vocab_size: int, dropout: float = 0.0) -> Network:
    """A network with fresh weights. `marian` holds Marian's configuration keys; `rnn-fc` has keys of its own."""
    kind = marian["type"]
    if kind == "transformer":
        from recipe.models.transformer import Transformer as family
    elif kind == "s2s":
        from recipe.models.s2s import S2S as family
    elif kind == "rnn-fc":
        from recipe.models.rnnfc import RnnFc as family
    else:
        raise ValueError(f"no network of type {kind!r}")
    return family(marian, vocab_size, dropout)
