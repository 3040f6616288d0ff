"""The card says what the files say: terms of every corpus, the family, hours of the log, each update counted once."""

import json
import tomllib
from pathlib import Path

import pytest

from recipe.card import Card, Figures
from recipe.config import load
from recipe.files import write_lines
from recipe.ship import tokens_and_hours

CONFIGS = Path(__file__).parent.parent / "configs"
FIGURES = Figures(31.5, 0.8, 55.0, "bleu-signature", "chrf-signature")


def card_of(name: str) -> str:
    config = load(CONFIGS / f"{name}.toml")
    data = tomllib.loads((CONFIGS / "data" / f"{config.data}.toml").read_text(encoding="utf-8"))
    pairs = {corpus["name"]: 1000 + index for index, corpus in enumerate(data.get("corpora", []))}
    measured = {"int8": {"news": FIGURES}}
    return Card(config, data, pairs, 7_716_160, 8000, "final.pt", {"final.pt": 20.0}, 9e7, 10.25, measured).text()


def test_a_general_card_has_the_terms_of_every_corpus():
    text = card_of("teacher")
    corpora = tomllib.loads((CONFIGS / "data/general.toml").read_text(encoding="utf-8"))["corpora"]
    assert len(corpora) == 8
    for index, corpus in enumerate(corpora):
        assert f"| {corpus['name']} | {corpus['what']} | {1000 + index:,} | {corpus['terms']} |" in text
    assert "self-attention" in text and "7.72 M parameters" in text and "8,000 pieces" in text
    assert "the pairs themselves" in text and "teacher ensemble" in card_of("tiny") and "| news | int8 | 31.5 ±0.8 | 55.0 |" in text


def test_a_caption_card_speaks_of_captions():
    text = card_of("gru")
    assert "Multi30k" in text and "GRU" in text and "| corpus |" not in text and "ensemble of two" in text
    assert "without a teacher" in card_of("gru-undistilled")


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_model_names_text_that_is_described(path: Path):
    config = load(path)
    assert config.name == path.stem
    assert (CONFIGS / "data" / f"{config.data}.toml").exists()


def test_updates_that_a_resumed_run_repeated_count_once(tmp_path: Path):
    spans = [(100, 200_000, 2000), (200, 200_000, 1000), (200, 180_000, 2000), (300, 180_000, 1000)]
    entries = [{"event": "start"}] + [{"update": update, "tokens": tokens, "tokens_per_cpu_second": rate}
                                      for update, tokens, rate in spans]
    write_lines(tmp_path / "log.jsonl", [json.dumps(entry) for entry in entries])
    tokens, hours = tokens_and_hours(tmp_path / "log.jsonl")
    assert tokens == 560_000
    assert hours == pytest.approx((100 + 90 + 180) / 3600)
