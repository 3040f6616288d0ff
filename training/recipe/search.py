"""Greedy, beam and sampled search over one network or an ensemble, with Marian's rules.

Scores are summed log-probabilities; an ensemble averages its members'. A hypothesis that ends is worth
score / length^alpha (length in steps, its EOS counted) and gives up its place in the beam, so beams only shrink;
a sentence ends when its beam is empty or its length limit, a factor times the source length, is reached.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from recipe.models.network import Network, rows_of
from recipe.vocab import EOS, UNK

DEAD = -1e30  # score of a place in the beam that is not live; finite, so that sums stay numbers


@dataclass
class Settings:
    beam: int = 1
    nbest: int = 1
    alpha: float = 1.0         # Marian's --normalize
    length_factor: float = 2.0  # Marian's --max-length-factor
    sample_top: int = 0        # > 0: draw each word from that many likeliest instead (with beam 1)
    shortest_limit: int = 10   # a two-word source may still need a longer translation


@dataclass
class Hypothesis:
    ids: list[int]  # without EOS
    value: float    # normalised score


@torch.no_grad()
def search(networks: list[Network], source: Tensor, mask: Tensor, settings: Settings) -> list[list[Hypothesis]]:
    """[B, S] ids and mask → for each sentence its best hypotheses, best first, at most `nbest`."""
    return _Search(networks, source, mask, settings).run()


class _Search:
    """One batch in flight: B sentences × beam places = R rows, sentence-major."""

    def __init__(self, networks, source, mask, settings):
        self.networks = networks
        self.settings = settings
        self.sentences = source.shape[0]
        self.device = source.device
        beam = settings.beam
        spread = torch.arange(self.sentences, device=self.device).repeat_interleave(beam)
        memories = [network.encode(source, mask) for network in networks]
        self.states = [rows_of(network.start(memory), spread) for network, memory in zip(networks, memories)]
        self.memories = [rows_of(memory, spread) for memory in memories]
        lengths = mask.sum(1) * settings.length_factor
        self.limits = lengths.ceil().long().clamp(min=settings.shortest_limit).tolist()
        self.scores = torch.full((self.sentences, beam), DEAD, device=self.device)
        self.scores[:, 0] = 0.0
        self.prefixes: list[list[int]] = [[] for _ in range(self.sentences * beam)]
        self.owner = list(range(self.sentences))  # the sentence that each block of `beam` rows belongs to
        self.finished: list[list[Hypothesis]] = [[] for _ in range(self.sentences)]

    def run(self) -> list[list[Hypothesis]]:
        previous, time = None, 0
        while self.owner:
            log_probs = self._log_probs(previous, time)          # [R, V]
            origins, words = self._choose(log_probs, time)             # [blocks, beam] each
            time += 1
            previous = self._advance(origins, words, time)
        for hypotheses in self.finished:
            hypotheses.sort(key=lambda hypothesis: -hypothesis.value)
        return [hypotheses[: self.settings.nbest] for hypotheses in self.finished]

    def _log_probs(self, previous: Tensor | None, time: int) -> Tensor:
        total = 0.0
        for index, network in enumerate(self.networks):
            hidden, self.states[index] = network.step(previous, time, self.states[index], self.memories[index])
            total = total + torch.log_softmax(network.logits(hidden).float(), dim=-1)
        total[:, UNK] = DEAD  # never said, as in Marian without --allow-unk; its probability is not shared out
        return total / len(self.networks)

    def _choose(self, log_probs: Tensor, time: int) -> tuple[Tensor, Tensor]:
        """Fills the beams: scores are updated; returns each place's row of origin and its new word."""
        beam, vocab = self.settings.beam, log_probs.shape[1]
        if self.settings.sample_top:
            best, words = log_probs.topk(self.settings.sample_top, dim=1)
            drawn = torch.distributions.Categorical(logits=best).sample()[:, None]  # [R, 1]
            self.scores = self.scores + best.gather(1, drawn)
            return torch.arange(len(drawn), device=self.device)[:, None], words.gather(1, drawn)
        live = (self.scores > DEAD / 2).sum(dim=1, keepdim=True)  # [blocks, 1]
        if time == 0:
            live = torch.full_like(live, beam)  # the one start hypothesis fills the whole beam
        totals = (self.scores.view(-1, 1) + log_probs).view(-1, beam * vocab)
        self.scores, picks = totals.topk(beam, dim=1)
        self.scores[torch.arange(beam, device=self.device)[None] >= live] = DEAD  # a place given up stays empty
        first_rows = torch.arange(len(self.owner), device=self.device)[:, None] * beam
        return first_rows + picks // vocab, picks % vocab

    def _advance(self, origins: Tensor, words: Tensor, time: int) -> Tensor:
        """Extends the prefixes, harvests what ended, drops finished sentences; returns the [R] words just chosen."""
        beam = self.settings.beam
        origin_rows, word_ids, scores = origins.flatten().tolist(), words.flatten().tolist(), self.scores.tolist()
        self.prefixes = [self.prefixes[row] + [word] for row, word in zip(origin_rows, word_ids)]
        keep = []
        for block, sentence in enumerate(self.owner):
            live = 0
            for place in range(beam):
                score, row = scores[block][place], block * beam + place
                if score <= DEAD / 2:
                    self.scores[block, place] = DEAD
                elif word_ids[row] == EOS or time >= self.limits[sentence]:
                    self._finish(sentence, self.prefixes[row], score, time)
                    self.scores[block, place] = DEAD
                else:
                    live += 1
            if live:
                keep.append(block)
        rows = [block * beam + place for block in keep for place in range(beam)]
        self._thin(keep, rows, origins)
        return words.flatten()[torch.tensor(rows, dtype=torch.long, device=self.device)]

    def _finish(self, sentence: int, prefix: list[int], score: float, time: int) -> None:
        ids = prefix[:-1] if prefix[-1] == EOS else prefix
        self.finished[sentence].append(Hypothesis(ids, score / time ** self.settings.alpha))

    def _thin(self, keep: list[int], rows: list[int], origins: Tensor) -> None:
        """Re-orders states by origin and drops the blocks that ended."""
        chosen = origins.flatten()[torch.tensor(rows, dtype=torch.long, device=self.device)]
        # With one place a row stays where it is; only a finished sentence makes a copy worth its time.
        if self.settings.beam > 1 or len(keep) < len(self.owner):
            self.states = [rows_of(state, chosen) for state in self.states]
        if len(keep) < len(self.owner):
            self.memories = [rows_of(memory, chosen) for memory in self.memories]
        self.prefixes = [self.prefixes[row] for row in rows]
        self.scores = self.scores[keep]
        self.owner = [self.owner[block] for block in keep]
