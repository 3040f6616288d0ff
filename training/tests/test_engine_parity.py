"""What `recipe.export` writes is what dyno decodes: the same lines and scores as here, greedy and with a beam, for every
family that is trained. DYNO names the binary (cargo build --release); without it the tests say that they skip.

Widths stand in the configurations of the students, so a key that one side reads otherwise shows. Weights are random
and drawn wide, as in test_marian_parity.py.
"""

import os
import tomllib
from pathlib import Path

import pytest
import sentencepiece
import torch

from recipe.engine import Engine, exported
from recipe.export import export
from recipe.files import Places
from recipe.models import build
from recipe.models.network import Network
from recipe.search import Settings
from recipe.translating import translate
from test_marian_parity import LENGTH_FACTOR, LINES, vocab  # noqa: F401 (vocab is a fixture)

DYNO = os.environ.get("DYNO")
STUDENTS = ["gru", "rnn-fc", "selfatt", "ssru", "transformer-aan"]
SMALLER = {"dim-emb": 32, "transformer-heads": 4, "transformer-dim-ffn": 64, "transformer-dim-aan": 32, "dim-rnn": 32,
           "dim-source": 24, "dim-target": 40, "dim-attention": 32, "dim-fc": 32}
GAIN = 2.0

pytestmark = pytest.mark.skipif(not DYNO, reason="DYNO, the path of the binary, is not set")


def configuration(student: str) -> dict:
    """The student's own keys with smaller widths: depths and switches stay."""
    marian = tomllib.loads((Path(__file__).parent.parent / "configs" / f"{student}.toml").read_text())["marian"]
    return {key: SMALLER.get(key, value) for key, value in marian.items()}


def network_in(folder: Path, student: str, vocab: Path, seed: int) -> Network:
    """A network with random weights, exported to <folder>/model."""
    marian = configuration(student)
    size = len(sentencepiece.SentencePieceProcessor(model_file=str(vocab)))
    torch.manual_seed(seed)
    network = build(marian, size).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(GAIN).add_(0.1 * torch.randn_like(parameter))
    folder.mkdir(exist_ok=True)
    (folder / "vocab.model").write_bytes(vocab.read_bytes())
    torch.save({"marian": marian, "vocab_size": size, "weights": network.state_dict()}, folder / "net.pt")
    export(Places(folder, folder), folder / "net.pt", folder / "model", ["en", "de"], "lex.s2t", npz=False)
    return network


def compare(networks: list[Network], engine: Engine, vocab: Path, beam: int) -> None:  # noqa: F811
    settings = Settings(beam=beam, nbest=beam, length_factor=LENGTH_FACTOR, shortest_limit=0)
    engine.options = ["--set", "most-repeats=0"]  # a rule of dyno's search alone, and random networks repeat themselves
    theirs = engine.candidates(LINES, settings, "f32")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(vocab))
    ours = translate(networks, processor, LINES, settings, batch=1, bf16=False)
    assert len({hypotheses[0][0] for hypotheses in theirs}) > len(LINES) // 4, "outputs too alike to prove anything"
    for line, (mine, dynos) in enumerate(zip(ours, theirs)):
        assert [text for text, _ in mine] == [text for text, _ in dynos], LINES[line]
        for (_, hypothesis), (_, score) in zip(mine, dynos):
            assert hypothesis.value == pytest.approx(score / len(networks), abs=1e-3), "dyno adds up its members"


@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.parametrize("beam", [1, 4])
def test_dyno_decodes_what_was_exported(student: str, beam: int, vocab, tmp_path):  # noqa: F811
    compare([network_in(tmp_path, student, vocab, 5)], Engine(Path(DYNO), [tmp_path / "model"]), vocab, beam)


def test_dyno_decodes_a_teacher_ensemble_as_the_networks_do(vocab, tmp_path):  # noqa: F811
    networks = [network_in(tmp_path / name, name, vocab, seed) for seed, name in enumerate(["ssru", "selfatt"])]
    (tmp_path / "vocab.model").write_bytes(vocab.read_bytes())
    teacher = exported(Path(DYNO), Places(tmp_path, tmp_path), ["ssru/net.pt", "selfatt/net.pt"], ["en", "de"], "f32")
    compare(networks, teacher, vocab, 5)


def test_a_model_directory_teaches_as_it_is(vocab, tmp_path):  # noqa: F811
    network = network_in(tmp_path / "ssru", "ssru", vocab, 3)
    teacher = exported(Path(DYNO), Places(tmp_path, tmp_path), [str(tmp_path / "ssru" / "model")], ["en", "de"], "f32")
    compare([network], teacher, vocab, 5)
