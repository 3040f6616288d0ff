"""The networks are Marian's: random weights, written as .npz, are decoded by PyPI's pymarian and by us.

Random weights are drawn wide (GAIN) so that outputs vary from line to line and margins are clear; then lines must be
equal and the n-best scores agree to 1e-3. A small vocabulary is trained on the spot, so the test needs no corpus.
"""

import subprocess
import sys
from pathlib import Path

import pytest
import sentencepiece
import torch

from recipe.export import write_npz
from recipe.models import build
from recipe.search import Settings
from recipe.translating import translate

GAIN = 2.0
VOCAB = 300
LENGTH_FACTOR = 2.0

TRANSFORMER = {"type": "transformer", "dim-emb": 32, "transformer-heads": 4, "transformer-dim-ffn": 64,
               "transformer-ffn-activation": "relu", "enc-depth": 2, "dec-depth": 2, "tied-embeddings-all": True}
AVERAGE = TRANSFORMER | {"transformer-decoder-autoreg": "average-attention"}
S2S = {"type": "s2s", "dim-emb": 24, "dim-rnn": 32, "enc-type": "bidirectional", "enc-cell": "gru", "enc-depth": 2,
       "enc-cell-depth": 1, "dec-cell": "gru", "dec-depth": 1, "dec-cell-base-depth": 2, "dec-cell-high-depth": 1,
       "skip": False, "tied-embeddings-all": True}

CASES = {
    "self-attention": TRANSFORMER | {"transformer-ffn-activation": "swish"},
    "ssru": TRANSFORMER | {"transformer-decoder-autoreg": "rnn", "dec-cell": "ssru"},
    "aan": AVERAGE | {"transformer-dim-aan": 48},
    "aan-slim": AVERAGE | {"transformer-dim-aan": 32, "transformer-aan-depth": 1, "transformer-aan-nogate": True},
    "aan-one-layer": AVERAGE | {"transformer-dim-aan": 32, "transformer-aan-depth": 2,
                                "transformer-aan-nogate": True},
    "gru": S2S | {"layer-normalization": False},
    "gru-layer-norm": S2S | {"layer-normalization": True},
}

WORDS = "a man in red shirt is riding the bicycle down an old street while two dogs watch him from green grass".split()
LINES = [" ".join(WORDS[i % 7: i % 7 + 2 + i % 11]) for i in range(1, 40)] + ["dog", "Straße über ß 42 !"]


@pytest.fixture(scope="module")
def vocab(tmp_path_factory) -> Path:
    prefix = tmp_path_factory.mktemp("vocab") / "v"
    text = [" ".join(a + b for b in WORDS[i:]) for i, a in enumerate(WORDS)] + LINES
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text), model_prefix=str(prefix), vocab_size=VOCAB, hard_vocab_limit=False,
        bos_id=-1, eos_id=0, unk_id=1, pad_id=-1, minloglevel=2)
    path = prefix.with_suffix(".spm")  # the ending by which Marian knows SentencePiece
    prefix.with_suffix(".model").rename(path)
    return path


def marian_decode(folder: Path, vocab: Path, beam: int) -> list[list[tuple[str, float]]]:
    """Runs Marian in a process of its own: it writes to standard streams directly and may abort."""
    options = (f"--models {folder / 'model.npz'} --vocabs {vocab} {vocab} --beam-size {beam} --normalize 1 --n-best "
               f"--mini-batch 1 --maxi-batch 1 --cpu-threads 1 --max-length-factor {LENGTH_FACTOR} --quiet")
    code = "import sys, pymarian; print(pymarian.Translator(sys.argv[1]).translate(sys.stdin.read()))"
    done = subprocess.run([sys.executable, "-c", code, options], input="\n".join(LINES), text=True,
                          capture_output=True, check=True)
    results: list[list[tuple[str, float]]] = [[] for _ in LINES]
    for line in filter(None, done.stdout.split("\n")):
        number, text, _, score = line.split(" ||| ")
        results[int(number)].append((text, float(score)))
    return results


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("beam", [1, 4])
def test_decodes_as_marian_does(name: str, beam: int, vocab: Path, tmp_path: Path):
    torch.manual_seed(7)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(vocab))
    network = build(CASES[name], len(processor)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(GAIN).add_(0.1 * torch.randn_like(parameter))
    write_npz(tmp_path / "model.npz", CASES[name], len(processor), network.state_dict())
    theirs = marian_decode(tmp_path, vocab, beam)
    settings = Settings(beam=beam, nbest=beam, length_factor=LENGTH_FACTOR, shortest_limit=0)
    ours = translate([network], processor, LINES, settings, batch=1, bf16=False)
    assert len({hypotheses[0][0] for hypotheses in theirs}) > len(LINES) // 4, "outputs too alike to prove anything"
    for line, (mine, marians) in enumerate(zip(ours, theirs)):
        assert [text for text, _ in mine] == [text for text, _ in marians], LINES[line]
        for (_, hypothesis), (_, score) in zip(mine, marians):
            assert hypothesis.value == pytest.approx(score, abs=1e-3)
