"""What the ladder of general translators promises: sizes, one vocabulary and one list of sets, and no test line used."""

from pathlib import Path

import pytest

from recipe.config import load
from recipe.models import build

CONFIGS = Path(__file__).parent.parent / "configs"
VOCABULARY = 8000
LARGEST = {"teacher": 16.0e6, "base": 12.0e6, "small": 8.0e6, "small-aan": 8.0e6, "small-gru": 9.0e6,
           "small-rnn-fc": 9.0e6, "tiny": 4.0e6, "nano": 1.5e6}
TEACHERS = ["teacher", "teacher-wide"]


@pytest.mark.parametrize("name", LARGEST)
def test_a_rung_keeps_its_size(name: str):
    network = build(load(CONFIGS / f"{name}.toml").marian, VOCABULARY)
    assert sum(parameter.numel() for parameter in network.parameters()) <= LARGEST[name]


def test_rungs_and_teachers_are_chosen_on_the_same_sets():
    configs = [load(CONFIGS / f"{name}.toml") for name in {*LARGEST, *TEACHERS}]
    assert all(config.validation == configs[0].validation for config in configs)
    assert len({config.training.seed for config in configs}) == len(configs)


def test_teachers_learn_what_people_wrote_and_rungs_what_teachers_say():
    for name in {*LARGEST, *TEACHERS}:
        folders = {corpus["target"].split("/")[0] for corpus in load(CONFIGS / f"{name}.toml").corpora}
        assert folders == {"pairs" if name in TEACHERS else "distilled", "taught"}


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_no_model_learns_from_or_is_chosen_on_a_test_set(path: Path):
    config = load(path)
    learnt = [corpus[side] for corpus in config.corpora for side in ("source", "target")]
    assert not [name for name in learnt if "test" in name or name.startswith(("dev/", "val."))]
    assert set(name for name in config.validation if "test" in name) <= {"general/test/newstest2013"}
