"""A run that was stopped and resumed ends with the weights of one that was not, whatever the optimiser; the choice of
weights counts every validation set the same; a vocabulary for general text copies numbers."""

from pathlib import Path

import pytest
import sentencepiece
import torch
import torch.nn.functional as F

from recipe import checkpoint, validation, vocab
from recipe.batches import Batch, Corpus
from recipe.config import Config, Training
from recipe.files import Places, write_lines
from recipe.models import build
from recipe.optimisers import Muon, Optimisers
from recipe.recordings import filled, rung
from recipe.train import Run
from test_corpora import NOUNS, VERBS, sentences

MARIAN = {"type": "transformer", "dim-emb": 16, "transformer-heads": 2, "transformer-dim-ffn": 32, "enc-depth": 1,
          "transformer-ffn-activation": "relu", "dec-depth": 1, "transformer-decoder-autoreg": "rnn",
          "dec-cell": "ssru", "tied-embeddings-all": True}


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """Pairs in two sets, and a vocabulary made of them."""
    folder = tmp_path_factory.mktemp("data")
    pairs = sentences(VERBS)
    for side, language in enumerate(("en", "de")):
        lines = [pair[side] for pair in pairs]
        write_lines(folder / f"pairs.{language}", lines)
        write_lines(folder / f"near.{language}", lines[:3])
        write_lines(folder / f"far.{language}", lines[100:110])
    places = Places(folder, folder)
    write_lines(folder / "numbers.en", [f"{noun} {number}" for noun in NOUNS for number in range(100, 140)])
    write_lines(folder / "numbers.de", [f"{noun} {number}" for noun in NOUNS.values() for number in range(100, 140)])
    vocab.train(places, ["pairs", "numbers"], 80, 10**9, digits=True, name="vocab")
    return folder


def run(data: Path, work: Path, updates: int, optimiser: str, stop_after: int = 0) -> dict:
    training = Training(updates=updates, optimiser=optimiser, batch_tokens=200, dropout=0.0, warmup=3, seed=4,
                        validate_every=5, snapshot_every=100)
    pairs = [{"source": "pairs.en", "target": "pairs.de", "weight": 1.5}]
    config = Config("run", "en", "de", MARIAN, training, pairs, ["near", "far"], validation_lines=2)
    work.mkdir(exist_ok=True)
    (work / "vocab.model").write_bytes((data / "vocab.model").read_bytes())
    run = Run(config, Places(data, work), "cpu", bf16=False, minutes=1e9)
    if stop_after:
        run.after_update = lambda: run.stop_soon() if run.updates == stop_after else None
    run.go()
    return checkpoint.load(work / "run" / "last.pt")


@pytest.mark.parametrize("optimiser", ["adam", "muon"])
def test_a_resumed_run_ends_where_an_unbroken_one_does(optimiser: str, data: Path, tmp_path: Path):
    whole = run(data, tmp_path / "whole", 90, optimiser)
    part = run(data, tmp_path / "parts", 90, optimiser, stop_after=70)
    assert part["position"][0] == 70 and part["position"][1] > 0, "the stop lies within a later pass"
    parts = run(data, tmp_path / "parts", 90, optimiser)
    assert whole["position"] == parts["position"]
    for name, weights in whole["network"].items():
        torch.testing.assert_close(parts["network"][name], weights, msg=name)
    moved = build(MARIAN, 80).state_dict()
    assert all(not torch.equal(weights, moved[name]) for name, weights in whole["network"].items())


def test_muon_turns_a_gradient_into_an_even_step():
    """All singular values of the step are near each other, whatever those of the gradient; Adam's are not."""
    steps = {}
    for kind in ("adam", "muon"):
        torch.manual_seed(2)
        network = build(MARIAN, 50)
        matrix = network.at("encoder_l1_ffn_W1")
        before, optimisers = matrix.detach().clone(), Optimisers(network, kind)
        for parameter in network.parameters():
            parameter.grad = torch.zeros_like(parameter)
        matrix.grad = torch.randn(16, 1) @ torch.randn(1, 32) + 0.1 * torch.randn(16, 32)
        optimisers.step(1e-2)
        steps[kind] = torch.linalg.svdvals(matrix.detach() - before)
        assert matrix.grad is None, "gradients are cleared"
    assert steps["muon"][0] / steps["muon"][-1] < 3 < steps["adam"][0] / steps["adam"][-1]


def test_muon_is_torchs_whatever_the_shapes():
    torch.manual_seed(3)
    mine = [torch.nn.Parameter(torch.randn(shape)) for shape in ((6, 9), (9, 6), (6, 9), (5, 5))]
    theirs = [torch.nn.Parameter(parameter.detach().clone()) for parameter in mine]
    muon = Muon(mine)
    reference = torch.optim.Muon(theirs, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")
    for rate in (0.01, 0.03, 0.02):
        for parameter, other in zip(mine, theirs):
            parameter.grad = torch.randn(parameter.shape)
            other.grad = parameter.grad.clone()
        reference.param_groups[0]["lr"] = rate
        muon.step(rate)
        reference.step()
    for parameter, other in zip(mine, theirs):
        torch.testing.assert_close(parameter, other)


def test_every_validation_set_counts_the_same(data: Path):
    sets = validation.read_sets(Places(data, data), ["near", "far"], "en", "de")
    found = {"near": sets["near"][1], "far": ["nichts davon"] * 10}
    scores = validation.bleus(found, sets)
    assert scores["near"] == pytest.approx(100) and scores["far"] < 1
    assert 50 <= validation.mean(scores) < 51


def test_translations_of_several_sets_return_to_their_lines(data: Path):
    """The network is untrained: what counts is that each set gets what it gets alone."""
    torch.manual_seed(1)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(data / "vocab.model"))
    network = build(MARIAN, len(processor)).eval()
    sets = validation.read_sets(Places(data, data), ["near", "far"], "en", "de")
    together = validation.translated([network], processor, sets, validation.Settings(), bf16=False)
    for name in sets:
        alone = validation.translated([network], processor, {name: sets[name]}, validation.Settings(), bf16=False)
        assert together[name] == alone[name]


def test_numbers_are_cut_into_digits(data: Path):
    processor = sentencepiece.SentencePieceProcessor(model_file=str(data / "vocab.model"))
    assert processor.encode("dog 137", out_type=str)[-3:] == ["1", "3", "7"]


def test_a_large_corpus_is_thinned_evenly():
    lines = [str(number) for number in range(1000)]
    assert vocab.sampled(lines, 10) == lines[::100]
    assert vocab.sampled(lines, 2000) == lines


def test_a_filled_batch_has_the_same_loss_and_gradients(data: Path):
    """What a recorded update computes on a GPU: padding in rows and columns counts for nothing."""
    places = Places(data, data)
    corpus = Corpus(places, [{"source": "pairs.en", "target": "pairs.de"}], vocab.load(places))
    network = build(MARIAN, 80)

    def gradients(batch: Batch) -> list[torch.Tensor]:
        network.zero_grad()
        hidden = network.decode(batch.target, network.encode(batch.source, batch.source_mask))
        loss = F.cross_entropy(network.logits(hidden.flatten(0, 1)[batch.real]), batch.labels)
        loss.backward()
        return [loss.detach()] + [parameter.grad.clone() for parameter in network.parameters()]

    for batch in corpus.pass_over(1, 0, 100, widths=rung):
        grown = filled(batch, 100)
        assert grown.target.shape == (100 // rung(batch.target.shape[1]), rung(batch.target.shape[1]))
        for filled_one, plain in zip(gradients(grown), gradients(batch), strict=True):
            torch.testing.assert_close(filled_one, plain, atol=1e-6, rtol=1e-4)
