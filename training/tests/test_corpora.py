"""The stage `corpora` from files to files: what it keeps, what it holds out, and that nothing is in both."""

import json
import sys

import pytest

from recipe import corpora
from recipe.files import Places, read_lines, write_lines

NOUNS = {"dog": "Hund", "cat": "Kater", "man": "Mann", "table": "Tisch", "tree": "Baum", "car": "Wagen",
         "ball": "Ball", "king": "König", "son": "Sohn", "friend": "Freund"}
ADJECTIVES = {"big": "große", "small": "kleine", "old": "alte", "young": "junge", "red": "rote", "blue": "blaue"}
VERBS = {"sees": "sieht", "hears": "hört", "finds": "findet", "loses": "verliert", "needs": "braucht"}

LIST = """
seed = 5
held_out = 40
[rules]
alignment = -3.0
[[corpora]]
name = "first"
text = "in/first"
[[corpora]]
name = "second"
text = "in/second"
old_spelling = true
held_out = "in/given"
[joined]
lines = 50
words = [20, 40]
from = ["first"]
"""


def sentences(verbs: dict[str, str]) -> list[tuple[str, str]]:
    return [(f"The {a} {noun} {verb} a house.", f"Der {german} {NOUNS[noun]} {VERBS[verb]} ein Haus.")
            for a, german in ADJECTIVES.items() for noun in NOUNS for verb in verbs]


def write(places: Places, name: str, pairs: list[tuple[str, str]]) -> None:
    for side, language in enumerate(("en", "de")):
        write_lines(places.data / f"{name}.{language}", [pair[side] for pair in pairs])


MISALIGNED = ("The old king sees a house.", "Unter vielen Brücken fließt Wasser.")


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> Places:
    root = tmp_path_factory.mktemp("corpora")
    places = Places(root / "data", root / "work")
    first, second = sentences(dict.fromkeys(["sees", "hears", "finds"])), sentences(dict.fromkeys(["loses", "needs"]))
    further = [first[0], MISALIGNED, ("?!", "!?"), ("He said that he will.", "Er sagte, dass er das tut.")]
    write(places, "in/first", first + further)
    write(places, "in/given", second[:10])
    write(places, "in/second", second + [("She said that she will.", "Sie sagte, daß sie das große Haus verliert.")])
    (root / "list.toml").write_text(LIST)
    run(places, root / "list.toml")
    return places


def run(places: Places, path) -> None:
    arguments = sys.argv
    sys.argv = ["corpora", "--data", str(places.data), "--work", str(places.work), str(path)]
    try:
        corpora.main()
    finally:
        sys.argv = arguments


def pairs(places: Places, name: str) -> list[tuple[str, str]]:
    return list(zip(*(read_lines(places.work / f"{name}.{language}") for language in ("en", "de")), strict=True))


def test_no_development_line_is_learnt_from_on_either_side(places: Places):
    dev = pairs(places, "dev/first") + pairs(places, "dev/second")
    assert len(pairs(places, "dev/first")) == 40
    for name in ("first", "second", "joined"):
        for side in (0, 1):
            held = {corpora.key(pair[side]) for pair in dev}
            assert not held & {corpora.key(pair[side]) for pair in pairs(places, f"pairs/{name}")}


def test_a_given_development_set_is_kept_as_it_is(places: Places):
    given = list(zip(read_lines(places.data / "in/given.en"), read_lines(places.data / "in/given.de")))
    assert pairs(places, "dev/second") == given


def test_the_misaligned_the_repeated_and_the_wordless_are_left_out(places: Places):
    report = json.loads((places.work / "corpora.json").read_text())["first"]
    assert report["repeated pair"] == 1 and report["no letters"] == 1 and report["alignment"] >= 1
    learnt = pairs(places, "pairs/first") + pairs(places, "dev/first")
    assert MISALIGNED not in learnt
    assert len(learnt) > 150, "the aligned ones stay"


def test_old_spelling_follows_the_other_corpora(places: Places):
    german = next(pair[1] for pair in pairs(places, "pairs/second") if pair[0] == "She said that she will.")
    assert german == "Sie sagte, dass sie das große Haus verliert."


def test_joined_lines_are_pairs_end_to_end(places: Places):
    lines = pairs(places, "pairs/joined")
    assert len(lines) == 50
    for english, german in lines:
        assert english.count(".") == german.count(".") >= 4
        assert len(english.split()) >= 20


def test_the_stage_is_done_once_and_the_same_each_time(places: Places, tmp_path):
    before = pairs(places, "pairs/first"), pairs(places, "dev/first")
    again = Places(places.data, tmp_path / "again")
    run(again, places.data.parent / "list.toml")
    assert (pairs(again, "pairs/first"), pairs(again, "dev/first")) == before
    marker = (again.work / "pairs/first.en").stat().st_mtime_ns
    run(again, places.data.parent / "list.toml")
    assert (again.work / "pairs/first.en").stat().st_mtime_ns == marker
