"""The rules for pairs, one by one: each pair breaks exactly the rule that it names."""

from dataclasses import replace

import pytest

from recipe.filters import Language, Rules, filtered, loops, reason_against

ENGLISH = ["The weather is nice today.", "Who is the man with the hat?", "She would like another cup of tea."]
GERMAN = ["Das Wetter ist heute schön.", "Wer ist der Mann mit dem Hut?", "Sie möchte noch eine Tasse Tee."]


@pytest.fixture
def language() -> Language:
    return Language(ENGLISH, GERMAN)


@pytest.mark.parametrize("line, stuck", [
    ("A man and a woman and a dog", False),
    ("a big big dog", False),
    ("very very very big", True),
    ("in the street in the street", True),
])
def test_loops_are_noticed(line: str, stuck: bool):
    assert loops(line) is stuck


@pytest.mark.parametrize("english, german, reason", [
    ("The man with the hat.", "Der Mann mit dem Hut.", None),
    ("Hat", "Hut", "too short"),
    ("The man " * 6, "Der Mann " * 6, "too long"),
    ("The man with the hat and the cup of tea.", "Der Mann.", "length ratio"),
    ("The man with the hat.", "The man with the hat.", "copy"),
    ("The man with the hat.", "der mann mit dem hut.", "no capitals"),
    ("The man in room 12.", "Der Mann in Zimmer 31.", "numbers"),
    ("The man has 1,200.50 cups.", "Der Mann hat 1.200,50 Tassen.", None),
    ("The man the man the man.", "Der Mann mit dem Hut ist.", "loop"),
    ("Der Mann mit dem Hut ist.", "Wer ist der Mann mit dem Hut?", "language"),
    ("Who is the man with the hat?", "The man is with a nice Hat", "language"),
])
def test_each_rule_has_its_reason(english: str, german: str, reason: str | None, language: Language):
    assert reason_against(Rules(longest_words=10), language, english, german) == reason


@pytest.mark.parametrize("relaxed, english, german", [
    ({"shortest_words": 1, "capitals": False}, "Hat", "Hut"),
    ({"slack": 20}, "The man with the hat.", "Der Hut."),
    ({"copies": True}, "The hat", "The hat"),
    ({"capitals": False}, "The man with the hat.", "der mann mit dem hut."),
    ({"numbers": False}, "The man in room 12.", "Der Mann in Zimmer 31."),
    ({"loops": True}, "The man the man the man.", "Der Mann mit dem Hut ist."),
    ({"language_margin": 5.0}, "Wer ist der Mann?", "Who is the Man?"),
])
def test_each_rule_can_be_relaxed(relaxed: dict, english: str, german: str, language: Language):
    assert reason_against(Rules(), language, english, german) is not None
    assert reason_against(replace(Rules(), **relaxed), language, english, german) is None


def test_a_pair_is_kept_once(language: Language):
    pair = ENGLISH[0], GERMAN[0]
    english, german, rejected = filtered(Rules(), language, [pair[0], pair[0]], [pair[1], pair[1]])
    assert (english, german, dict(rejected)) == ([pair[0]], [pair[1]], {"repeated pair": 1})
