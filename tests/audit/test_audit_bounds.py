"""Which sentences an audit says, on either side of each bound, and what its tables hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lingprobe.audit.checks import _CLEAR, _FEW
from lingprobe.audit.findings import AuditBaseline, SplitOverlap
from lingprobe.audit.inspection import audit_dataset, list_problems
from lingprobe.audit.page import audit_tables
from lingprobe.data.core import Dataset, Example, Sentence, Site

DATASET = Dataset.of(
    Example.about(Sentence.of([f"w{split}{k}"]), "xy"[k % 2], split)
    for split in ("train", "dev", "test")
    for k in range(2)
)
EVEN = {"x": _FEW, "y": _FEW}
PLAIN = replace(
    audit_dataset(DATASET, floors=False), balance={"train": {}, "dev": {}, "test": EVEN}
)
CHANCE = AuditBaseline("best constant", 0.5, 0.5, 0.5)
EDGE = 0.5 + _CLEAR


def said(**parts):
    """What deserves a look in an audit with some parts."""
    return list_problems(replace(PLAIN, **parts), DATASET)


def floors(**scores):
    """Floors by key, from score, low and high."""
    return {
        "constant": CHANCE,
        **{key: AuditBaseline(f"the {key}", *s) for key, s in scores.items()},
    }


def test_of_an_audit_without_a_problem_nothing_is_said():
    assert said() == said(floors=floors(), altered="x") == ()


@pytest.mark.parametrize("key", ["length", "word", "words"])
def test_a_confound_is_clear_of_the_best_constant(key):
    for score, low, told in (
        (EDGE + 0.01, 0.51, True),
        (EDGE + 0.01, 0.5, False),
        (EDGE, 0.51, False),
    ):
        assert bool(said(floors=floors(**{key: (score, low, 0.9)}))) == told
    assert said(floors=floors(characters=(1.0, 1.0, 1.0))) == ()


@pytest.mark.parametrize("key", ["length", "words", "bigrams"])
def test_a_leak_is_better_than_chance(key):
    for low, told in ((0.51, True), (0.5, False)):
        assert bool(said(floors=floors(**{key: (0.6, low, 0.7)}), altered="x")) == told
    assert said(floors={}, altered="x") == ()


@pytest.mark.parametrize(
    ("bigrams", "low", "told"),
    [(0.5, 0.551, True), (0.5, EDGE, False), (0.4, 0.54, False), (0.6, 0.64, False)],
)
def test_characters_leak_where_they_are_clear_of_bigrams_and_of_chance(bigrams, low, told):
    some = floors(bigrams=(0.4, 0.3, bigrams), characters=(0.8, low, 0.9))
    assert bool(said(floors=some, altered="x")) == told
    del some["bigrams"]
    assert said(floors=some, altered="x") == ()


def test_a_source_that_says_more_than_the_best_constant_is_told():
    for low, told in ((0.51, True), (0.5, False)):
        assert bool(said(floors=floors(source=(0.51, low, 0.6)))) == told


def test_what_needs_no_composition_is_told_where_it_is_clear():
    for score, low, high, told in (
        (EDGE + 0.01, 0.51, 0.9, True),
        (EDGE + 0.01, 0.5, 0.9, False),
        (EDGE, 0.51, 0.9, False),
        (0.9, 0.9, 0.9, False),  # exact, of a few
    ):
        asked = {"only the asked word": AuditBaseline("only the asked word", score, low, high)}
        assert bool(said(floors=floors(), asked=asked)) == told
        assert all("only the asked word: 0." in each for each in said(floors=floors(), asked=asked))


def test_without_a_best_constant_what_needs_no_composition_is_told_from_nothing_on():
    for score, told in ((0.3, True), (_CLEAR, False)):
        found = said(asked={"one": AuditBaseline("one", score, 0.01, 0.4)})
        assert found == ("one: 0.300 [0.010, 0.400] accuracy, the best constant 0.000",) * told


def test_rules_are_told_by_what_they_reach_and_only_the_best_pair_that_adds_to_them():
    rules = {
        "one": AuditBaseline("one", 1.0, 0.9, 1.01),
        "two": AuditBaseline("two", 0.7, 0.6, 0.8),
        "three": AuditBaseline("three", 0.5, 0.4, 0.6),
    }
    pair = AuditBaseline("one; two", 0.9, 0.85, 0.95)
    first, second = said(floors=floors(), asked=rules, pairs=(pair, pair))
    assert first.startswith("the rule 'one' answers every example correctly")
    assert second.startswith("the rule 'two' reaches 0.700 [0.600, 0.800] accuracy")
    del rules["one"]
    pair = AuditBaseline("two; three", 0.7 + _CLEAR + 0.01, 0.7, 0.9)
    first, second = said(floors=floors(), asked=rules, pairs=(pair, pair))
    assert first.startswith("the rule 'two' reaches 0.700")
    assert second.startswith("two rules together, 'two; three', reach 0.760")
    for less in (replace(pair, score=0.7 + _CLEAR), replace(pair, low=0.5)):
        assert len(said(floors=floors(), asked=rules, pairs=(less, pair))) == 1


def test_kinds_of_negatives_are_compared_by_their_shares():
    for many, told in ((56, 2), (44, 2), (54, 0), (46, 0)):
        test = {"a": many, "b": 100 - many}
        found = said(negatives={"train": {"a": 5, "b": 5}, "test": test})
        assert len(found) == told
    assert said(negatives={"train": {"a": 5, "b": 5}}) == ()
    assert said(negatives={"train": {"a": 0}, "test": {"a": 0}}) == ()


@pytest.mark.parametrize(
    ("counts", "few", "uneven"),
    [
        ((_FEW, _FEW), 0, False),
        ((_FEW - 1, _FEW), 1, False),
        ((_FEW, 1.5 * _FEW), 0, False),
        ((_FEW, 1.5 * _FEW + 1), 0, True),
        ((1, 1), 2, False),
    ],
)
def test_small_and_uneven_classes_are_told(counts, few, uneven):
    found = said(balance={"test": dict(zip("xy", counts, strict=True))})
    small = [f"{few} of 2 classes have fewer than {_FEW} test examples in this split"] * bool(few)
    assert [each for each in found if "fewer" in each] == small
    assert any("uneven" in each for each in found) == uneven
    assert len(found) == bool(few) + uneven


def test_what_splits_share_is_told_once_and_in_the_right_number():
    some = {
        "dev/test": SplitOverlap(1, 1),
        "train/test": SplitOverlap(2, 3),
        "train/dev": SplitOverlap(0, 0),
    }
    assert said(shared=some) == (
        "1 example of test has a sentence of dev (1 distinct sentence)",
        "3 examples of test have a sentence of train (2 distinct sentences)",
    )
    assert len(said(shared=some, same={"dev/test": "set"})) == 2
    assert said(forms={"target": some}) == (
        "1 example of test has a target form of dev (1 distinct form)",
        "3 examples of test have a target form of train (2 distinct forms)",
    )
    assert len(said(forms={"target": some}, same={"dev/test": "set"})) == 2
    assert said(duplicates={"train": 1, "dev": 0}, versions=2) == (
        "1 of 2 examples of train repeat another example",
        "2 examples have a sentence that occurs both in its original and its altered version",
    )


def table(audit, heading):
    """The rows of a table of an audit, and the line below; None where there is none."""
    for each in audit_tables(audit, "title"):
        for section in each.sections:
            if section.heading == heading:
                return section.rows, section.line
    return None


@pytest.mark.parametrize("many", [40, 41, 80])
def test_classes_are_shown_by_frequency(many):
    counts = {f"c{k:03}": float(k + 1) for k in range(many)}
    audit = replace(PLAIN, balance={"train": counts, "dev": {}, "test": {}}, lengths={"c000": 2.0})
    rows, line = table(audit, "Examples")
    names = sorted(counts, reverse=True)
    shown = names if many == 40 else [*names[:20], *names[-20:]]
    assert [row[0] for row in rows] == [*shown, "all"]
    assert rows[-2] == ("c000", "1", "0", "0", "2.0")
    assert rows[0][1:] == (f"{many}", "0", "0", "")
    assert bool(line) == (many > 40)


def test_floors_are_shown_in_percent_with_what_they_were_fitted_on_where_that_is_said():
    some = floors(words=(0.75, 0.5, 0.875))
    rows, _ = table(replace(PLAIN, floors=some), "Scores without an encoder")
    assert rows == (("best constant", "50.0", ""), ("the words", "75.0", "50.0 – 87.5"))
    some["words"] = replace(some["words"], about="on dev")
    rows, _ = table(replace(PLAIN, floors=some), "Scores without an encoder")
    assert rows[1] == ("the words", "75.0", "50.0 – 87.5", "on dev")
    assert table(PLAIN, "Scores without an encoder") is None


def test_of_pairs_of_rules_the_three_best_that_add_to_both_are_shown():
    asked = {name: AuditBaseline(name, score, 0.4, 0.6) for name, score in (("a", 0.5), ("b", 0.6))}
    pairs = tuple(
        AuditBaseline("a; b", score, score, score) for score in (0.9, 0.8, 0.7, 0.65, 0.6)
    )
    rows, line = table(replace(PLAIN, asked=asked, pairs=pairs), "Scores without composition")
    assert [row[1:3] for row in rows] == [
        ("50.0", "40.0 – 60.0"),
        ("60.0", "40.0 – 60.0"),
        ("90.0", ""),
        ("80.0", ""),
        ("70.0", ""),
    ]
    assert line.startswith("4 of 5 pairs of rules score higher")
    _, line = table(replace(PLAIN, asked=asked, pairs=pairs[-1:]), "Scores without composition")
    assert line.startswith("None of 1 pairs")
    assert table(replace(PLAIN, asked=asked), "Scores without composition")[1] == ""


def test_the_overlap_of_splits_that_have_examples_is_shown():
    shared = {
        "train/dev": SplitOverlap(1, 2),
        "train/test": SplitOverlap(3, 4),
        "dev/test": SplitOverlap(0, 0),
    }
    audit = replace(
        PLAIN,
        sizes={"train": 5, "dev": 0, "test": 5},
        shared=shared,
        forms={"target": shared},
        duplicates={"train": 1, "dev": 7, "test": 2},
        words={"dev": 0.0, "test": 0.25},
        contradictions=6,
        altered="x",
        versions=8,
    )
    rows, _ = table(audit, "Overlap")
    assert rows == (
        ("examples of test with a sentence of train", "4 (3 distinct)"),
        ("examples of test with a target form of train", "4 (3 distinct)"),
        ("examples of train that repeat another one", "1"),
        ("examples of test that repeat another one", "2"),
        ("examples that repeat another one with a different label", "6"),
        ("examples with a sentence in both versions (original and altered)", "8"),
        ("distinct words of test that are in train", "25.0 %"),
    )
    fewer = replace(audit, sizes={"train": 0, "dev": 5, "test": 5}, altered="")
    rows, _ = table(fewer, "Overlap")
    assert not [row for row in rows if "distinct words" in row[0] or "versions" in row[0]]


def test_columns_that_no_row_fills_are_left_out():
    sentence = Sentence.of(["a", "b"])
    examples = [
        Example((Site(sentence),), "x", "train", strata={"target": "b"}),
        Example((Site(sentence),), "x", "test"),
    ]
    audit = audit_dataset(Dataset.of(examples), floors=False)
    assert table(audit, "Sample of examples")[0] == (
        ("train", "x", "b", "a b"),
        ("test", "x", "", "a b"),
    )
    assert table(replace(audit, rows=()), "Sample of examples") is None
    kinds = {"train": {"a": 1000}, "test": {"b": 2}}
    rows, _ = table(replace(audit, negatives=kinds), "Kinds of negatives")
    assert rows == (("a", "1,000", "0"), ("b", "0", "2"))
    assert table(audit, "Kinds of negatives") is None


def test_notes_are_shown_flat_and_settings_on_a_line():
    notes = {
        "n": {"deep": 1234, "share": 0.5},
        "settings": {"seed": 1, "no": None, "of": [2, 3]},
        "some": [],
        "yes": True,
    }
    rows, _ = table(replace(PLAIN, notes=notes), "Counted while building")
    assert dict(rows) == {
        "n.deep": "1,234",
        "n.share": "0.5",
        "settings": "seed 1, of 2:3",
        "some": "none",
        "yes": "True",
    }
