"""A model's card, README.md of its directory: what it is, what it learnt from and on which terms, how good it is, what it
is not for.

Every figure comes from the run's log or from dyno's own translations. The sentences about the text stand in the
[card] table of configs/data/<data>.toml, once for all models that learnt from it.
"""

from dataclasses import dataclass

from recipe.config import Config

FAMILIES = {
    "s2s": "a recurrent translator: bidirectional GRU encoder, conditional GRU decoder (OpenNMT 2018)",
    "rnn-fc": "a recurrent translator with fully-connected layers on top (Devlin 2017, system S4 scaled down)",
    "rnn": "a Transformer with a deep encoder and one decoder layer with SSRU (Bolt and HW-TSC 2021)",
    "self-attention": "a Transformer with a deep encoder and one self-attention decoder layer: the yardstick",
    "average-attention": "a Transformer with average attention in the decoder, slim variant (Marian 2018)",
}


@dataclass
class Figures:
    bleu: float
    bleu_interval: float
    chrf: float
    bleu_signature: str
    chrf_signature: str


@dataclass
class Card:
    config: Config
    data: dict                               # configs/data/<data>.toml
    pairs: dict[str, int]                    # corpus → pairs that it gave
    parameters: int
    vocab_size: int
    weights: str                             # the file that was chosen, such as average.pt
    choices: dict[str, float]                # mean validation BLEU of each file
    tokens: float
    hours: float
    measured: dict[str, dict[str, Figures]]  # precision → test set, or "pooled"

    def text(self) -> str:
        return "\n\n".join([self.head(), self.learnt(), self.training(), self.quality(), self.use()]) + "\n"

    def distilled(self) -> bool:
        return any(corpus["source"].startswith("distilled") for corpus in self.config.corpora)

    def head(self) -> str:
        marian = self.config.marian
        kind = marian["type"]
        family = FAMILIES[marian["transformer-decoder-autoreg"] if kind == "transformer" else kind]
        return (f"# {self.config.name}\n\n{family[0].upper()}{family[1:]}. It translates English "
                f"{self.data['card']['text']} into German ({self.config.source} → {self.config.target}), has "
                f"{self.parameters / 1e6:.2f} M parameters and a joint SentencePiece vocabulary of "
                f"{self.vocab_size:,} pieces.")

    def learnt(self) -> str:
        card = self.data["card"]
        rows = [f"| {corpus['name']} | {corpus['what']} | {self.pairs[corpus['name']]:,} | {corpus['terms']} |"
                for corpus in self.data.get("corpora", [])]
        table = ["| corpus | what | pairs | terms |\n| --- | --- | ---: | --- |\n" + "\n".join(rows)] if rows else []
        said = f"{card['about']} {card[self.config.taught if self.distilled() else 'untaught']} {card['terms']}"
        return "\n\n".join(["## Data", f"{said} No line of a test set was seen in training or used for a choice.", *table])

    def training(self) -> str:
        training = self.config.training
        choices = ", ".join(f"{name} {bleu:.2f}" for name, bleu in self.choices.items())
        return (f"## Training\n\n`training/configs/{self.config.name}.toml` and `training/README.md` repeat it: "
                f"{training.updates:,} updates of {training.batch_tokens:,} target tokens, seed {training.seed}, dropout "
                f"{training.dropout}, in bfloat16 products on {self.data['card']['machine']}: "
                f"{self.tokens / 1e6:.0f} M tokens in about {self.hours:.1f} hours. Weights were chosen by BLEU on the "
                f"validation sets, the mean of all ({choices}): {self.weights}.")

    def quality(self) -> str:
        sets_of_one = next(iter(self.measured.values()))
        first = next(iter(sets_of_one.values()))
        rows = [f"| {name} | {precision} | {of.bleu:.1f} ±{of.bleu_interval:.1f} | {of.chrf:.1f} |"
                for name in sets_of_one for precision, sets in self.measured.items() for of in [sets[name]]]
        return ("## Quality\n\nGreedy, with the shortlist, translated by dyno; 95 % intervals by bootstrap. `pooled` is "
                "all sets as one.\n\n| test set | weights | BLEU | chrF |\n| --- | --- | --- | --- |\n" + "\n".join(rows)
                + f"\n\nBLEU: `{first.bleu_signature}`; chrF: `{first.chrf_signature}`.")

    def use(self) -> str:
        return ("## Use and limits\n\nMeant as a contestant on the bench: a real model of its family, small enough to come "
                f"with it. {self.data['card']['limits']}")
