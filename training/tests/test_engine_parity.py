"""What `recipe.export` writes is what dyno decodes: the same lines and scores as here, greedy and with a beam, for every
family that is trained. DYNO names the binary (cargo build --release); without it the tests say that they skip.

Widths stand in the configurations of the students, so a key that one side reads otherwise shows. Weights are random
and drawn wide, as in test_marian_parity.py.
"""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest
import torch

from recipe.export import export
from recipe.files import Places
from recipe.models import build
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


def dyno_decode(model: Path, beam: int) -> list[list[tuple[str, float]]]:
    command = [DYNO, "translate", "--model", model, "--precision", "f32", "--beam", str(beam), "--normalize", "1",
               "--n-best", "--max-length-factor", str(LENGTH_FACTOR)]
    done = subprocess.run(command, input="\n".join(LINES) + "\n", text=True, capture_output=True, check=True)
    results: list[list[tuple[str, float]]] = [[] for _ in LINES]
    for line in done.stdout.splitlines():
        number, text, *_, score = line.split(" ||| ")
        results[int(number)].append((text, float(score)))
    return results


@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.parametrize("beam", [1, 4])
def test_dyno_decodes_what_was_exported(student: str, beam: int, vocab, tmp_path):  # noqa: F811
    import sentencepiece

    marian = configuration(student)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(vocab))
    torch.manual_seed(5)
    network = build(marian, len(processor)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(GAIN).add_(0.1 * torch.randn_like(parameter))
    places = Places(data=tmp_path, work=tmp_path)
    (tmp_path / "vocab.model").write_bytes(vocab.read_bytes())
    torch.save({"marian": marian, "vocab_size": len(processor), "weights": network.state_dict()}, tmp_path / "net.pt")
    export(places, tmp_path / "net.pt", tmp_path / "model", ["en", "de"], "lex.s2t", npz=False)

    theirs = dyno_decode(tmp_path / "model", beam)
    settings = Settings(beam=beam, nbest=beam, length_factor=LENGTH_FACTOR, shortest_limit=0)
    ours = translate([network], processor, LINES, settings, batch=1, bf16=False)
    assert len({hypotheses[0][0] for hypotheses in theirs}) > len(LINES) // 4, "outputs too alike to prove anything"
    for line, (mine, dynos) in enumerate(zip(ours, theirs)):
        assert [text for text, _ in mine] == [text for text, _ in dynos], LINES[line]
        for (_, hypothesis), (_, score) in zip(mine, dynos):
            assert hypothesis.value == pytest.approx(score, abs=1e-3)
