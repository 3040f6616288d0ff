"""A model's card, README.md of its directory: what it is, what it learnt from, how good it is, what it is not for.

Every figure comes from the run's log or from dyno's own translations; the sentences are the same for all models.
"""

from dataclasses import dataclass

from recipe.config import Config

FAMILIES = {
    "gru": "a recurrent translator: bidirectional GRU encoder, conditional GRU decoder (OpenNMT 2018)",
    "rnn-fc": "a recurrent translator with fully-connected layers on top (Devlin 2017, system S4 scaled down)",
    "ssru": "a Transformer with a deep encoder and one decoder layer with SSRU (Bolt and HW-TSC 2021)",
    "selfatt": "a Transformer with a deep encoder and one self-attention decoder layer: the yardstick",
    "transformer-aan": "a Transformer with average attention in the decoder, slim variant (Marian 2018)",
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
    parameters: int
    weights: str                             # the file that was chosen, such as average.pt
    choices: dict[str, float]                # validation BLEU of each file
    tokens: float
    hours: float
    measured: dict[str, dict[str, Figures]]  # precision → test set, or "pooled"

    def text(self) -> str:
        return "\n\n".join([self.head(), self.data(), self.training(), self.quality(), self.use()]) + "\n"

    def distilled(self) -> bool:
        return any(corpus["source"] == "distilled.en" for corpus in self.config.corpora)

    def head(self) -> str:
        name = self.config.name
        family = next(text for key, text in FAMILIES.items() if name.startswith(key))
        return (f"# {name}\n\n{family[0].upper()}{family[1:]}. It translates English captions into German "
                f"({self.config.source} → {self.config.target}), has {self.parameters / 1e6:.2f} M parameters and a joint "
                "SentencePiece vocabulary of 4,000 pieces.")

    def data(self) -> str:
        taught = ("Its targets are the translations of an ensemble of two Transformers (beam 5): of the training pairs' "
                  "sources the one of five with the best sentence BLEU against the reference, and further English "
                  "captions, filtered." if self.distilled()
                  else "It learnt from the training pairs alone, without a teacher: the twin that shows what distillation "
                  "adds.")
        return ("## Data\n\nMulti30k: 29,000 pairs of captions (Elliott et al. 2016), and further captions of the same kind in "
                f"one language. {taught} The captions derive from Flickr30k and are for research use; so is the model. "
                "No line of a test set was seen in training or used for a choice.")

    def training(self) -> str:
        training = self.config.training
        choices = ", ".join(f"{name} {bleu:.2f}" for name, bleu in self.choices.items())
        return (f"## Training\n\n`training/configs/{self.config.name}.toml` and `training/README.md` repeat it: "
                f"{training.updates:,} updates of {training.batch_tokens:,} target tokens, seed {training.seed}, dropout "
                f"{training.dropout}, in bfloat16 products on one core of a two-core AMD EPYC (Zen 5): "
                f"{self.tokens / 1e6:.0f} M tokens in about {self.hours:.1f} hours. Weights were chosen by BLEU on the "
                f"validation set ({choices}): {self.weights}.")

    def quality(self) -> str:
        first = next(iter(self.measured["f32"].values()))
        rows = [f"| {name} | {precision} | {of.bleu:.1f} ±{of.bleu_interval:.1f} | {of.chrf:.1f} |"
                for name in self.measured["f32"] for precision, sets in self.measured.items() for of in [sets[name]]]
        return ("## Quality\n\nGreedy, with the shortlist, translated by dyno; 95 % intervals by bootstrap. `pooled` is the three sets "
                "as one.\n\n| test set | weights | BLEU | chrF |\n| --- | --- | --- | --- |\n" + "\n".join(rows)
                + f"\n\nBLEU: `{first.bleu_signature}`; chrF: `{first.chrf_signature}`.")

    def use(self) -> str:
        return ("## Use and limits\n\nMeant as a contestant on the bench: a real model of its family, small enough to come with it. It knows "
                "descriptions of everyday photographs, in sentences of up to some thirty words; it invents where a text speaks of "
                "anything else, has the photographs' and their describers' biases, and is no product.")
