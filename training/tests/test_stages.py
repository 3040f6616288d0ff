"""The small decisions of the stages: loss, batches, selection, phrases, learning rate."""

import pytest
import torch
import torch.nn.functional as F

from recipe import vmap
from recipe.align import lexicon
from recipe.batches import Corpus
from recipe.config import Training
from recipe.distil import joined, select
from recipe.files import Places, write_lines
from recipe.loss import smoothed_cross_entropy
from recipe.train import learning_rate


def test_loss_and_gradient_equal_torchs():
    torch.manual_seed(1)
    mine = torch.randn(6, 9, requires_grad=True)
    theirs = mine.detach().clone().requires_grad_()
    words = torch.randint(9, (6,))
    ours = smoothed_cross_entropy(mine * 1.0, words, 0.1)
    reference = F.cross_entropy(theirs, words, label_smoothing=0.1)
    (3 * ours).backward()
    (3 * reference).backward()
    torch.testing.assert_close(ours, reference)
    torch.testing.assert_close(mine.grad, theirs.grad)


class WordVocabulary:
    """Stands in for SentencePiece: ids are word lengths."""

    def encode(self, lines):
        return [[len(word) + 1 for word in line.split()] for line in lines]


@pytest.fixture
def corpus(tmp_path) -> Corpus:
    lines = [" ".join(["ab"] * (1 + i % 7)) for i in range(200)]
    write_lines(tmp_path / "x.en", lines)
    write_lines(tmp_path / "x.de", lines)
    return Corpus(Places(tmp_path, tmp_path), [{"source": "x.en", "target": "x.de", "weight": 2}], WordVocabulary())


def test_a_pass_sees_every_pair_by_its_weight_within_the_batch_size(corpus):
    groups = corpus.batches(seed=1, number=0, tokens=40)
    assert sorted(line for group in groups for line in group) == sorted(2 * list(range(200)))
    for batch in corpus.pass_over(1, 0, 40):
        assert batch.target.numel() <= 40


def test_an_interrupted_pass_goes_on_with_the_same_batches(corpus):
    whole = list(corpus.pass_over(1, 3, 40))
    rest = list(corpus.pass_over(1, 3, 40, skip=5))
    assert len(rest) == len(whole) - 5
    assert all(torch.equal(a.source, b.source) for a, b in zip(whole[5:], rest))
    assert corpus.batches(1, 3, 40) != corpus.batches(1, 4, 40)


def test_fractions_of_a_weight_are_chances_and_labels_have_their_own(tmp_path):
    lines = ["ab"] * 1000 + ["ab ab ab ab"] * 1000  # labels first
    write_lines(tmp_path / "x.en", lines)
    write_lines(tmp_path / "x.de", lines)
    pair = {"source": "x.en", "target": "x.de", "weight": 1.5, "short_weight": 0.2}
    corpus = Corpus(Places(tmp_path, tmp_path), [pair], WordVocabulary())
    seen = [line for group in corpus.batches(seed=1, number=0, tokens=40) for line in group]
    labels, sentences = sum(line < 1000 for line in seen), sum(line >= 1000 for line in seen)
    assert 240 < labels < 360 and 1440 < sentences < 1560
    assert set(range(1000, 2000)) <= set(seen), "a weight above one leaves no pair out"
    assert seen != [line for group in corpus.batches(seed=1, number=1, tokens=40) for line in group]


@pytest.mark.parametrize("by", ["bleu", "ter"])
def test_the_candidate_nearest_to_the_reference_is_chosen(by: str):
    candidates = [("Ein Mann geht .", -0.1), ("Ein Mann läuft auf der Straße .", -0.2), ("Hund", -0.3)]
    assert select(by, candidates, "Ein Mann läuft auf einer Straße .") == candidates[1][0]


def test_a_second_teachers_candidates_stand_behind_the_firsts():
    first, second = {0: [("a", 1.0)], 1: [("b", 0.5)]}, {1: [("c", 0.9)], 2: [("d", 0.1)]}
    assert joined([first, second]) == {0: [("a", 1.0)], 1: [("b", 0.5), ("c", 0.9)]}


def test_phrases_keep_their_links_inside():
    found = set(vmap.phrases(["a", "b", "c"], ["x", "y", "z"], [(0, 0), (1, 2), (2, 1)], longest=2))
    assert found == {("a", "x"), ("b", "z"), ("c", "y"), ("b c", "y z")}


def test_an_ngram_adds_only_what_its_parts_lack():
    table = vmap.thinned({"": ["."], "a": ["x"], "b": ["y", "."], "a b": ["x", "y"], "b c": ["y", "q"]})
    assert table == {"": ["."], "a": ["x"], "b": ["y"], "b c": ["q"]}
    assert vmap.offered(table, ["a", "b", "c"], 2) == {".", "x", "y", "q"}


def test_learning_rate_rises_rests_and_falls():
    training = Training(updates=1000, warmup=100, decay_from=0.5, floor=0.1, learning_rate=1.0)
    rates = [learning_rate(training, update, update / 1000) for update in (50, 100, 500, 750, 1000)]
    assert rates == pytest.approx([0.5, 1.0, 1.0, 0.55, 0.1])


def test_a_shortlist_offers_the_most_frequent_words_at_the_sentences_end():
    links = [[(0, 0), (0, 1)], [(0, 0)]]
    assert lexicon([["a"], ["b"]], [["x", "y"], ["x"]], links) == [
        "x </s> 0.666667", "y </s> 0.333333", "x a 0.500000", "y a 0.500000", "x b 1.000000"]
