"""Requests: what is read, what is refused and how, and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from asked import EVERYTHING, PAPER, made

from lingprobe.cli import app
from lingprobe.data.core import DataProblem
from lingprobe_extensions.compose.events import files
from lingprobe_extensions.compose.events.batch import generate_sentences
from lingprobe_extensions.compose.events.english import _FORMS, _TABLE, english
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.events.languages import LANGUAGES, load_language
from lingprobe_extensions.compose.events.lexicon import _HEADER, read_lexicon
from lingprobe_extensions.compose.events.patterns import parse_pattern
from lingprobe_extensions.compose.events.request import parse_generation_request, tables_of
from lingprobe_extensions.compose.events.space import make_space

REFUSED = [
    ({"noun": ["man"]}, "request: unknown key 'noun'"),
    ({"nouns": ["mna"]}, "request.nouns: no noun 'mna' in the lexicon"),
    (
        {"verbs": {"transitive": ["sleep"]}},
        "request.verbs.transitive.0: the verb 'sleep' is not transitive",
    ),
    ({"verbs": {"reflexive": []}}, "request.verbs: unknown key 'reflexive'"),
    ({"voices": ["middle"]}, "request.voices.0: 'middle' is not one of active"),
    ({"tense": ["future"]}, "tense 'future' is not there in English; there are past, present"),
    ({"classes": ["fish"]}, "no noun is a 'fish'; there are person, animal"),
    ({"at_most": {"relatives": -1}}, "request.at_most.relatives: is a whole number from 0 to 8"),
    ({"at_most": {"clauses": 1}}, "request.at_most: unknown key 'clauses'"),
    ({"relatives": {"depth": 0}}, "request.relatives.depth: is a whole number from 1 to 4"),
    (
        {"require": [{"predicate": "sleep", "frame": "transitive"}]},
        "request.require.0: the verb 'sleep' is not transitive",
    ),
    ({"require": [{"agent": {"nuon": "man"}}]}, "request.require.0.agent: unknown key 'nuon'"),
    (
        {"require": [{"agent": {"relative": {"predicate": "hlep"}}}]},
        "request.require.0.agent.relative.predicate: no verb 'hlep'",
    ),
    (
        {"require": [{"in": "relative", "event": {}}]},
        "request.require.0.in: 'relative' is not one of any, main",
    ),
    ({"require": {}}, "request.require: is a list"),
    ({"prohibit": [{"tense": []}]}, "request.prohibit.0.tense: an empty list leaves nothing"),
    (
        {"require_words": ["helped"]},
        "request.require_words: no word 'helped' in the lexicon; give the lemma",
    ),
    ({"allow": ["nonsense"]}, "request.allow.0: 'nonsense' is not one of stative progressives"),
    ({"matched_number": "yes"}, "request.matched_number: is true or false"),
    ({"priors": {"tense": {"past": -1}}}, "request.priors.tense.past: a weight is a number"),
    (
        {"priors": {"tense": {"past": 1e308}}},
        "request.priors.tense.past: a weight is a number from 0 to 1,000,000,000, not 1e\\+308",
    ),
    (
        {"language": "klingon"},
        "request.language: no language called 'klingon' \\(`lingprobe list languages` lists them\\)",
    ),
    ({"relativiser": ["which"]}, "request.relativiser: 'which' is not there; there are that, who"),
]


@pytest.mark.parametrize(("asked", "message"), REFUSED, ids=[m for _, m in REFUSED])
def test_bad_requests_are_one_clear_line(asked, message):
    with pytest.raises(DataProblem, match=message) as found:
        parse_generation_request(asked)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"tense": ["past"],', "r.json:1: not JSON"),
        ('{"tense": [], "tense": []}', "'tense' occurs twice"),
        ("[]", "request: is a JSON object"),
    ],
    ids=["broken", "twice", "list"],
)
def test_bad_files_are_named(text, message, tmp_path):
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(DataProblem, match=message):
        files.read_request(tmp_path / "r.json")


def texts(found, n=300):
    step = max(1, found.size // n)
    return [
        s.sentence.text
        for s in generate_sentences(found, np.array(range(0, found.size, step), object))
    ]


def test_stative_verbs_have_no_progressive_unless_allowed():
    asked = {
        "verbs": ["know"],
        "frames": ["transitive"],
        "at_most": {"relatives": 0},
        "aspect": ["progressive"],
    }
    with pytest.raises(DataProblem, match=r"would help: other verbs .*, other values of tense"):
        made(asked)
    assert all(
        "knowing" in t or "being known" in t
        for t in texts(made(asked, allow=["stative progressives"]))
    )


def test_selection_can_be_lifted():
    asked = {
        "nouns": ["cake", "man"],
        "verbs": ["follow"],
        "frames": ["transitive"],
        "at_most": {"relatives": 0},
    }
    with pytest.raises(DataProblem, match="would help: other nouns"):
        made(asked)
    assert any("cake" in t for t in texts(made(asked, allow=["selection"])))


def test_numbers_can_be_matched():
    found = made(PAPER, matched_number=True, at_most={"relatives": 1})
    for number in range(0, found.size, found.size // 200):
        told = json.dumps(files_json(found, number))
        assert ('"singular"' in told) != ('"plural"' in told)


def files_json(found, number):
    from lingprobe_extensions.compose.events.meaning import to_json

    return to_json(found.event_at(number))


def test_nothing_can_belong_to_two_nouns():
    """A phrase between the verb and a last "by" or "to" has no modifier and no relative clause of
    its own.
    """
    for cell in made(EVERYTHING).cells:
        shape = cell.placed.shape
        for role in shape.order[1:-1]:
            slot = getattr(shape, role)
            assert getattr(slot, "modifier", None) is None
            assert getattr(slot, "relative", None) is None


def test_no_lemma_comes_twice_in_two_frames():
    asked = {
        "verbs": ["know", "forget"],
        "frames": ["transitive", "clausal"],
        "aspect": ["simple"],
        "nouns": ["man", "woman", "king"],
    }
    found = made(asked, at_most={"relatives": 0, "complements": 1}, require=[{"frame": "clausal"}])
    said = texts(found, 2000)
    assert said
    assert all(("know" in t or "knew" in t) and ("forg" in t) for t in said)


def test_an_absent_part_can_be_required():
    asked = {
        **PAPER,
        "voices": ["active", "passive", "passive without agent"],
        "at_most": {"relatives": 0},
    }
    found = made(asked, require=[{"voice": "passive", "agent": None}])
    assert all(" by " not in t for t in texts(found))


def test_adverbs_can_be_required():
    found = made(
        PAPER,
        at_most={"relatives": 0, "adverbs": 2},
        require=[{"adverbs": ["often"]}],
        require_words=["quietly"],
    )
    assert all("often quietly" in t for t in texts(found))


def test_a_pattern_says_what_it_was():
    assert (
        parse_pattern({"adverbs": None, "agent": {"relative": None}}, "p").fields["adverbs"] is None
    )


LINES = [
    ("noun\tcow", "columns; there are 6"),
    ("noun\tcow\tcows\tanimal\t-\tmany", "band 'many'"),
    ("noun\tcow\t-\tanimal\t-\thigh", "0 forms beside the lemma, not 1"),
    ("noun\tcow\tco ws\tanimal\t-\thigh", "2 forms beside"),
    ("noun\tcow\tc0ws\tanimal\t-\thigh", "'c0ws' is not one word of letters"),
    ("verb\tmoo\tmoos mooed mooed mooing\tloud\t-\tlow", "frame 'loud' is not one of"),
    (
        "verb\tmoo\tmoos mooed mooed mooing\tintransitive\tsubject=animal\tlow",
        "flag 'subject=animal'; roles are agent",
    ),
    (
        "noun\tcow\tcows\tanimal\t-\thigh\nnoun\tcow\tcows\tanimal\t-\thigh",
        "noun 'cow' is there twice",
    ),
]


@pytest.mark.parametrize(("text", "message"), LINES, ids=[m for _, m in LINES])
def test_a_lexicon_is_checked(text, message, tmp_path):
    (tmp_path / "l.tsv").write_text(f"{_HEADER}\n{text}\n", "utf-8")
    with pytest.raises(DataProblem, match=message):
        read_lexicon(tmp_path / "l.tsv", _FORMS)


def test_a_lexicon_of_ones_own(tmp_path):
    words = [
        "noun\tcow\tcows\tperson\t-\thigh",
        "verb\tmoo\tmoos mooed mooed mooing\tintransitive\tagent=person\tlow",
    ]
    (tmp_path / "l.tsv").write_text("\n".join([_HEADER, *words]) + "\n", "utf-8")
    found = made(
        lexicon=str(tmp_path / "l.tsv"), tense=["past"], polarity=["positive"], aspect=["simple"]
    )
    assert sorted(texts(found)) == ["the cow mooed", "the cows mooed"]


def table(place, *words):
    place.write_text("\n".join([_HEADER, *words]) + "\n", "utf-8")
    return str(place)


MOO = "verb\tmoo\tmoos mooed mooed mooing\tintransitive\tagent=person\tlow"


def test_words_beside_those_of_the_lexicon(tmp_path):
    more = table(tmp_path / "m.tsv", MOO)
    plain = {
        "tense": ["past"],
        "polarity": ["positive"],
        "aspect": ["simple"],
        "at_most": {"relatives": 0},
    }
    found = made(plain, more_words=more, nouns=["man"], verbs=["moo", "sleep"])
    assert sorted(texts(found)) == [
        "the man mooed",
        "the man slept",
        "the men mooed",
        "the men slept",
    ]
    assert {"l.tsv", "m.tsv"} == {
        path.name for path in tables_of({"lexicon": "l.tsv", "more_words": "m.tsv"}).values()
    }
    with pytest.raises(DataProblem, match=r"twice\.tsv:2: noun 'man' is there twice"):
        made(more_words=table(tmp_path / "twice.tsv", "noun\tman\tmen\tperson\t-\thigh"))


@pytest.mark.parametrize("name", ["english", "polish"])
def test_a_table_that_is_written_anew_is_read_again(name, tmp_path):
    def adverbs(word):
        own = table(tmp_path / "own.tsv", f"adverb\t{word}\t-\tstance\t-\thigh")
        assert load_language(name, extra_lexicon=Path(own)) is load_language(
            name, extra_lexicon=Path(own)
        )
        return {
            entry.lemma for entry in load_language(name, extra_lexicon=Path(own)).values("adverb")
        }

    assert adverbs("zig") - adverbs("zagga") == {"zig"}
    assert adverbs("zig") >= {entry.lemma for entry in load_language(name).values("adverb")}


def test_a_verb_whose_tense_nobody_could_tell_is_refused(tmp_path):
    put = table(tmp_path / "put.tsv", "verb\tput\tputs put put putting\ttransitive\t-\thigh")
    with pytest.raises(DataProblem, match=r"put\.tsv: the past of the verb 'put' is the same"):
        made(more_words=put)


def test_the_lexicon_is_whole():
    entries = english().lexicon.entries
    assert len(entries["noun"]) > 150
    assert len(entries["verb"]) > 200
    for verb in entries["verb"]:
        lemma, third, _, _, gerund = verb.forms
        assert third.endswith("s"), verb
        assert gerund.endswith("ing"), verb
        assert third[0] == gerund[0] == lemma[0], verb
        assert verb.takes["agent"], verb
        assert verb.forms[2] != lemma, (
            f"{lemma}: the past is the lemma, so tense cannot be heard in the plural"
        )
    for noun in entries["noun"]:
        assert noun.forms[0] != noun.forms[1], noun
    owners = {
        (form, kind, entry.lemma)
        for kind, some in entries.items()
        for entry in some
        for form in entry.forms
    }
    assert len({form for form, _, _ in owners}) == len(owners), "every form is of one word only"


def test_the_command(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    (tmp_path / "r.json").write_text(json.dumps(PAPER))
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(app, ["data", "generate", "r.json", "-n", "20", "-o", "s.jsonl", "-q"])
    assert run.exit_code == 0, run.output
    assert "26,572,896 sentences of 23 structures" in run.output
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert len({row["text"] for row in rows}) == 20
    bare = CliRunner().invoke(
        app, ["data", "generate", "r.json", "-n", "20", "-o", "s.txt", "--text", "-q"]
    )
    assert bare.exit_code == 0
    assert (tmp_path / "s.txt").read_text().splitlines() == [row["text"] for row in rows]


def test_an_empty_request_is_one():
    assert make_space(parse_generation_request({})).size > 10**12


def plain(table: Path = _TABLE) -> Language:
    """English that knows fewer phrases and has a mark of its own."""
    return replace(
        english(table), name="Plain", phrases=english().phrases[:1], leaning=("not",), allowed={}
    )


def test_a_language_of_ones_own(monkeypatch):
    monkeypatch.setitem(LANGUAGES.table, "plain", f"{__name__}:plain")
    asked = {
        "language": "plain",
        "nouns": ["man", "woman"],
        "verbs": ["help"],
        "at_most": {"relatives": 0},
        "tense": ["past"],
        "aspect": ["simple"],
    }
    found = made(asked, number=["singular"], voices=["active"])
    assert sorted(texts(found)) == sorted(
        [
            f"the {one} {done} the {other}"
            for one, other in (("man", "woman"), ("woman", "man"))
            for done in ("helped", "didnot help")
        ]
    )
