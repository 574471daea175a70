"""What answers questions about words without composing anything, on made-up sets and on the
released ones.
"""

import os
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.audit.floors import SplitHalves
from lingprobe.audit.inspection import audit_dataset
from lingprobe.audit.page import audit_tables
from lingprobe.data.core import DATA_SPLITS, Dataset, Example, Sentence, Site
from lingprobe.tables.formats import format_terminal_table
from lingprobe.tasks import TASKS
from lingprobe.testing import TINY_DATASET_FAMILIES
from lingprobe_extensions.compose.audit import (
    _TRAIN,
    answers,
    compute_ceilings,
    draw_pair_rows,
    measure_cues,
    score_untaught_readings,
)
from lingprobe_extensions.compose.comp.rules import ROLE_RULES

DATA = (
    Path(os.environ.get("LINGPROBE_DATA", "/nowhere")) / "published_probing" / "compeval-released"
)
PEOPLE, VERBS = (
    ("doctor", "lawyer", "man", "professor", "student", "woman"),
    ("call", "follow", "help", "meet"),
)
PAST = {"call": "called", "follow": "followed", "help": "helped", "meet": "met"}


def question(text, words, label, split, **strata):
    return Example((Site(Sentence.of(text.split())),), label, split, words, strata)


def swapped(passive=True, n=None):
    """Who does it: role swaps, minimal pairs of equal bags, actives and passives alike; the asked
    noun is the first of them.
    """
    examples = []
    for k, (one, other, verb) in enumerate(product(PEOPLE, PEOPLE, VERBS)):
        if one < other:
            for first, second in ((one, other), (other, one)):
                texts = [(f"the {first} {PAST[verb]} the {second}", first == one)]
                texts += (
                    [(f"the {first} was {PAST[verb]} by the {second}", second == one)]
                    if passive
                    else []
                )
                for text, yes in texts:
                    examples.append(
                        question(
                            text,
                            (one, verb),
                            "yes" if yes else "no",
                            DATA_SPLITS[2 * (k % 3 == 2)],
                            pair=f"{k} {len(text)}",
                        )
                    )
    return Dataset.of(examples[:n])


def told(dataset):
    return measure_cues(SplitHalves.of(dataset), "accuracy")


def test_balanced_pairs_leave_single_cues_at_half_and_two_together_at_all():
    floors, pairs = told(swapped())
    assert all(
        floors[name].score == 0.5
        for name in (
            "only the asked words",
            "only the first asked word",
            "only the second asked word",
        )
    )
    assert floors["before the verb"].score == 0.5
    assert (
        floors["nearest noun before, or first after by"].score
        == floors["before the verb unless by follows"].score
        == 1.0
    )
    assert pairs[0].score == 1.0
    assert [p.score for p in pairs] == sorted((p.score for p in pairs), reverse=True)
    assert len(pairs) == len(ROLE_RULES) * (len(ROLE_RULES) - 1) / 2


def test_without_passives_the_first_noun_is_the_agent():
    floors, _ = told(swapped(passive=False))
    assert floors["before the verb"].score == 1.0
    assert floors["before the verb"].about == "100.0 on train; yes where it holds"


def test_a_cue_may_speak_against():
    dataset = swapped(passive=False)
    names = dataset.labels.names
    mirrored = Dataset.of(
        [Example(e.sites, names[e.label == names[0]], e.split, e.asked) for e in dataset.examples()]
    )
    assert told(mirrored)[0]["before the verb"].about == "100.0 on train; no where it holds"


def test_an_asked_word_that_is_mostly_answered_in_one_way_is_a_leak():
    rng = np.random.default_rng(0)
    examples = [
        question(
            f"the man {PAST[verb]} the woman s{i}",
            (verb,),
            "yes" if rng.random() < (0.9 if verb == "help" else 0.1) else "no",
            split,
        )
        for split, n in (("train", 300), ("test", 200))
        for i, verb in enumerate(rng.choice(["help", "call"], size=n).tolist())
    ]
    assert told(Dataset.of(examples))[0]["only the asked word"].score > 0.85


def test_words_that_train_never_asked_get_its_commonest_answer():
    examples = [
        question("the man slept", ("sleep",), label, "train") for label in ("no", "no", "yes")
    ]
    floors, _ = told(Dataset.of([*examples, question("the man danced", ("dance",), "no", "test")]))
    assert floors["only the asked word"].score == 1.0
    assert not [name for name in floors if name.startswith("first asked")]
    assert [name for name in told(swapped())[0] if "asked" in name] == [
        "only the asked words",
        "only the first asked word",
        "only the second asked word",
    ]


def test_the_ceiling_of_equal_bags_is_exact_and_numbers_can_be_taken_out():
    pair = [
        question("the man helps the women", ("man", "help"), "yes", "train"),
        question("the woman helps the men", ("man", "help"), "no", "test"),
    ]
    assert list(compute_ceilings(Dataset.of(pair))) == ["the same without number"]
    assert compute_ceilings(Dataset.of(pair))["the same without number"].score == 0.5
    both = compute_ceilings(swapped())
    assert {floor.score for floor in both.values()} == {0.5}
    assert both["asked words and bag of words"].about.startswith(
        "exact, over 240 of 240 examples, 2.0 to a group; "
    )


@given(
    st.lists(
        st.tuples(
            st.permutations(["a", "b", "c"]), st.sampled_from("xy"), st.sampled_from(["p", "q"])
        ),
        min_size=2,
        max_size=20,
    )
)
def test_no_reader_of_bags_beats_the_ceiling(rows):
    dataset = Dataset.of(
        [question(" ".join(words[:2]), (asked,), label, "train") for words, label, asked in rows]
    )
    found = compute_ceilings(dataset).get("asked words and bag of words")
    keys = {}
    for words, label, asked in rows:
        keys.setdefault((asked, frozenset(words[:2])), []).append(label)
    shared = [group for group in keys.values() if len(group) > 1]
    assert (found is None) == (not shared)
    if found:
        assert found.score == pytest.approx(
            sum(max(g.count("x"), g.count("y")) for g in shared) / sum(map(len, shared))
        )


def test_the_ceiling_of_shuffled_labels_is_a_mean_over_twenty():
    rows = [("a b", "x"), ("b a", "x"), ("c", "y"), ("c", "x"), ("c", "y"), ("d d", "y"), ("d d", "y")]  # fmt: skip
    dataset = Dataset.of([question(text, ("a",), label, "train") for text, label in rows])
    groups, labels, rng = "aacccdd", [label for _, label in rows], np.random.default_rng([0, 3])
    best = []
    for _ in range(20):
        mixed = rng.permutation(labels).tolist()
        of = [[m for m, g in zip(mixed, groups, strict=True) if g == one] for one in "acd"]
        best.append(sum(max(mine.count("x"), mine.count("y")) for mine in of) / len(rows))
    found = compute_ceilings(dataset)["asked words and bag of words"]
    assert found.score == pytest.approx(6 / 7)
    assert found.about == (
        "exact, over 7 of 7 examples, 2.3 to a group;"
        f" {100 * sum(best) / 20:.1f} with shuffled labels"
    )


def test_what_is_learnt_without_language_says_how_much_of_train_it_read(monkeypatch):
    halves = SplitHalves.of(swapped())
    monkeypatch.setattr(
        "lingprobe_extensions.compose.audit._READINGS", {"random": ("random", "none")}
    )
    monkeypatch.setattr("lingprobe_extensions.compose.audit._PROBE", "majority")
    assert score_untaught_readings(halves, "accuracy")["random"].about == ""
    cued, pairs = measure_cues(halves, "accuracy")
    found = answers(swapped(), "accuracy")
    assert found[1] == pairs
    assert list(found[0]) == [*cued, *compute_ceilings(swapped()), "random"]
    one_split = swapped().take(swapped().rows("train"))
    assert answers(one_split, "accuracy") == ({}, ())
    monkeypatch.setattr("lingprobe_extensions.compose.audit._TRAIN", 20)
    said = f"on 20 of {len(halves.train):,} examples of train"
    assert score_untaught_readings(halves, "accuracy")["random"].about == said


def test_training_examples_are_drawn_in_whole_pairs_and_in_order():
    rng = np.random.default_rng(1)
    pairs = rng.permutation(np.repeat(np.arange(4_000), 2))
    dataset = Dataset.of(
        [question("the man slept", ("sleep",), "yes", "train", pair=str(p)) for p in pairs.tolist()]
    )
    rows = draw_pair_rows(dataset)
    assert len(rows) == _TRAIN
    assert (np.diff(rows) > 0).all()
    assert (np.bincount(pairs[rows])[pairs[rows]] == 2).all()
    assert len(draw_pair_rows(swapped())) == 240


def test_the_first_pair_is_drawn_as_a_whole_too(monkeypatch):
    monkeypatch.setattr("lingprobe_extensions.compose.audit._TRAIN", 2)
    for pairs in (["a", "b", "a", "b"], ["a", "b", "b", "a"], ["b", "a", "a", "b"], [*"abcacb"]):
        dataset = Dataset.of(
            [question("the man slept", ("sleep",), "yes", "train", pair=p) for p in pairs]
        )
        assert len({pairs[k] for k in draw_pair_rows(dataset).tolist()}) == 1


def test_negatives_of_other_kinds_in_test_than_in_train_are_told():
    kinds = {
        "train": ["patient"] * 5 + ["unrelated"] * 5,
        "test": ["patient"] * 6 + ["unrelated"] * 4,
    }
    examples = [
        question("the man slept", ("sleep",), "no", split, negative=kind)
        for split in kinds
        for kind in kinds[split]
    ]
    audit = audit_dataset(Dataset.of(examples), floors=False)
    assert audit.negatives == {
        "train": {"patient": 5, "unrelated": 5},
        "test": {"patient": 6, "unrelated": 4},
    }
    assert (
        "50 % of the negatives of train are of the kind 'patient', but 60 % of those of test"
        in audit.problems
    )
    assert "Kinds of negatives" in "".join(
        format_terminal_table(table, 140) for table in audit_tables(audit, "title")
    )
    even = audit_dataset(
        Dataset.of(
            [
                question("the man slept", ("sleep",), "no", split, negative="patient")
                for split in kinds
            ]
        ),
        floors=False,
    )
    assert not [problem for problem in even.problems if "negatives" in problem]


def test_an_audit_shows_rules_pairs_and_what_is_learnt_from_vectors_without_language():
    audit = audit_dataset(swapped(), rows=3)
    assert [name for name in audit.asked if "vectors" in name][
        -1
    ] == "asked words, bag of random word vectors"
    assert (
        "the rule 'before the verb unless by follows' answers every example correctly: it is"
        " either the definition of the label or a leak" in audit.problems
    )
    text = "".join(format_terminal_table(table, 140) for table in audit_tables(audit, "title"))
    assert "Scores without composition" in text
    assert re.search(
        r"\w+ of 36 pairs of rules score higher than the better of the two", " ".join(text.split())
    )
    (line,) = [
        line for line in text.splitlines() if line.startswith("asked words and bag of words")
    ]
    assert line.split()[6] == "50.0"
    assert audit_dataset(swapped(), rows=3) == audit


def test_where_nothing_is_asked_or_answers_are_no_classes_there_is_nothing_of_this():
    for family in TINY_DATASET_FAMILIES.values():
        dataset = family()
        if not dataset.asked.shape[1] or dataset.labels.loss != "softmax":
            assert (audit_dataset(dataset).asked, audit_dataset(dataset).pairs) == ({}, ())
    assert audit_dataset(swapped(), floors=False).asked == {}


@pytest.mark.skipif(not DATA.is_dir(), reason="LINGPROBE_DATA has no compeval-released")
@pytest.mark.parametrize(
    ("name", "cue", "train", "test"),
    [
        ("content1", "only the asked word", None, 0.599),
        ("negation", "verb after not", 1.0, 1.0),
        ("sem-role", "nearest noun before, or first after by", 0.823, 0.912),
        ("sem-role", "before the verb unless by follows", 0.817, 0.858),
        ("sem-role", "before the verb", None, 0.572),
        ("order", "before the verb", 1.0, 1.0),
    ],
)
def test_known_leaks_of_the_released_sets(name, cue, train, test):
    found = told(TASKS.make(f"comp/released/{name}:{DATA},dev=none").load())[0][cue]
    assert found.score == pytest.approx(test, abs=5e-4)
    assert train is None or found.about.startswith(f"{100 * train:.1f} on train")
