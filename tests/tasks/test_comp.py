"""Composition tasks: what minimal pairs are, what is balanced, what is held out, and that labels
are what events say.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingprobe.core import DataProblem, Dataset
from lingprobe.generation.events.english import english
from lingprobe.generation.readings.find import readings
from lingprobe.tasks import TASKS, names
from lingprobe.tasks.comp.designs import ENGLISH
from lingprobe.tasks.comp.rules import held
from lingprobe.testing.tasks import same_dataset

SMALL = "size=600,dev=120,test=360"
NAMES = names("comp")
SAME_WORDS = [name for name in NAMES if not name.startswith("content")]


@cache
def made(name: str, options: str = SMALL) -> Dataset:
    return TASKS.make(f"comp/{name},{options}").load()


def yes(data: Dataset) -> np.ndarray:
    return data.labels.ids == data.labels.names.index("yes")


def bags(data: Dataset) -> list[Counter[str]]:
    return [Counter(data.sentences[s].words) for s in data.sites[:, 0, 0]]


@pytest.mark.parametrize("name", NAMES)
def test_a_pair_asks_the_same_about_two_sentences_of_one_split_and_has_both_answers(name):
    data = made(name)
    pair = data.strata["pair"].codes
    order = np.argsort(pair, kind="stable").reshape(-1, 2)
    assert (pair[order[:, 0]] == pair[order[:, 1]]).all()
    assert len(np.unique(pair)) == len(order)
    for column in (
        data.asked,
        data.splits,
        data.strata["structure"].codes,
        data.strata["voice"].codes,
        data.strata["negative"].codes,
    ):
        assert (column[order[:, 0]] == column[order[:, 1]]).all()
    assert (yes(data)[order].sum(1) == 1).all()


@pytest.mark.parametrize("name", SAME_WORDS)
def test_the_sentences_of_a_pair_have_the_same_words(name):
    found = bags(made(name))
    assert all(one == other for one, other in zip(found[0::2], found[1::2], strict=True))


@pytest.mark.parametrize("name", ["content1", "content2"])
def test_the_sentences_of_a_pair_differ_in_one_word_where_words_are_asked_about(name):
    found = bags(made(name))
    assert all(
        (one - other).total() == (other - one).total() == 1
        for one, other in zip(found[0::2], found[1::2], strict=True)
    )


def parts(data: Dataset) -> dict[str, Dataset]:
    new = data.strata["new"]
    return {part: data.take(np.flatnonzero(new.codes == i)) for i, part in enumerate(new.names)}


def questions(data: Dataset) -> set[tuple[int, ...]]:
    return set(map(tuple, data.asked.tolist()))


@pytest.mark.parametrize("name", NAMES)
def test_splits_share_no_sentence_and_each_sentence_has_one_question(name):
    data = made(name)
    where: dict[str, set[int]] = {}
    for sentence, split in zip(data.sites[:, 0, 0].tolist(), data.splits.tolist(), strict=True):
        where.setdefault(data.sentences[sentence].text, set()).add(split)
    assert all(len(splits) == 1 for splits in where.values())
    assert len(where) == len(data.sentences) == len(data)


@pytest.mark.parametrize("name", NAMES)
def test_only_the_part_of_new_pairs_asks_about_pairs_that_train_does_not(name):
    data = made(name)
    train, dev = (data.take(data.rows(split)) for split in ("train", "dev"))
    for part, some in parts(data).items():
        if data.asked.shape[1] == 2:
            assert (
                questions(some).isdisjoint(questions(train))
                if part == "pairs"
                else questions(some) <= questions(train)
            ), part
            assert questions(dev).isdisjoint(questions(train) | questions(some))
        for slot in range(data.asked.shape[1]):
            assert {a[slot] for a in questions(some)} <= {a[slot] for a in questions(train)}


@pytest.mark.parametrize("name", NAMES)
def test_a_test_part_has_what_it_is_named_after_and_the_others_do_not(name):
    data = made(name)
    train, new = data.take(data.rows("train")), data.strata["new"]
    single = data.asked.shape[1] == 1
    assert set(parts(data)) == {"sentences", "structures", "lemmas"} | (
        set() if single else {"pairs"}
    )
    assert (new.codes[data.rows("train")] == -1).all()
    assert {len(part) for part in parts(data).values()} == {360 // (3 if single else 4)}
    known = {data.strata["structure"].names[c] for c in train.strata["structure"].codes}
    lexicon = english().lexicon.entries
    lemma = {
        form: entry.lemma
        for kind in ("noun", "verb")
        for entry in lexicon[kind]
        for form in entry.forms
    }
    adverbs = {entry.lemma for entry in lexicon["adverb"]}
    said = {word for bag in bags(train) for word in bag}
    words = {lemma[word] for word in said if word in lemma}
    for part, some in parts(data).items():
        structures = {data.strata["structure"].names[c] for c in some.strata["structure"].codes}
        assert part != "structures" or structures.isdisjoint(known)
        for bag in bags(some):
            assert adverbs.isdisjoint(said & set(bag))
            assert part == "lemmas" or {lemma[word] for word in bag if word in lemma} <= words


UNEVEN = {
    "sem-role": 0.12,
    "quantifier-scope": 0.25,
    "embedded-tense": 0.5,
}  # where shallow rules tell kinds apart, as docs/tasks-comp.md says


@pytest.mark.parametrize("name", NAMES)
def test_kinds_of_no_have_even_shares_in_every_split(name):
    data = made(name)
    for split in ("train", "dev", "test"):
        counts = np.bincount(
            data.strata["negative"].codes[data.rows(split)],
            minlength=len(data.strata["negative"].names),
        )
        assert counts.max() - counts.min() <= UNEVEN.get(name, 0.06) * counts.sum()


LEARNT = [name for name in NAMES if ENGLISH[name].learn]
# of learnt rules those that see nothing of what is between two asked words
SHALLOW = ("linear rule", "tree of three questions")
BOUNDS = {
    "sem-role": 0.555,  # 53.4, 51.3
    "negation": 0.535,  # 51.3, 51.4
    "agreement": 0.55,  # 50.6, 52.8
    "embedded-tense": 0.58,  # 56.0, 53.9: told by words next to the asked ones, so not all can go
    "quantifier-scope": 0.53,  # 50.8, 49.7
}
"""What was measured of `SHALLOW` at `MEDIUM` size, and two points."""
BETWEEN = ("tree of three questions, also about what is between", "the best two questions")
BOUNDS_BETWEEN = {
    "sem-role": 0.79,  # 69.1, 75.7
    "negation": 0.55,  # one word is asked about, nothing is between: 51.7
    "agreement": 0.565,  # 53.2
    "embedded-tense": 0.595,  # 56.5
    "quantifier-scope": 0.93,  # 59.8, 90.0
}
"""The same of rules that see more, and three points: what docs/tasks-comp.md says is left, and no
more.
"""
MEDIUM = "size=3000,dev=120,test=1200"


@pytest.mark.parametrize("name", LEARNT)
def test_no_shallow_rule_is_right_much_oftener_than_wrong(name):
    found = made(name, f"{MEDIUM},readings=none").notes["rules"]
    named = [found[rule] for rule in ENGLISH[name].rules if rule in found]
    assert max(found[rule] for rule in SHALLOW) <= BOUNDS[name], found
    assert max(found[rule] for rule in BETWEEN if rule in found) <= BOUNDS_BETWEEN[name], found
    assert len(named) == 0 or np.mean(np.abs(np.array(named) - 0.5)) <= 0.05, found


def test_without_balance_rules_of_thumb_are_right():
    found = {
        held: made("sem-role", f"{MEDIUM},readings=none,balance={held}").notes["rules"]
        for held in ("none", "named", "learnt")
    }
    assert found["none"]["nearest noun before, or first after by"] > 0.75
    assert (
        max(found["named"]["tree of three questions"], found["none"]["tree of three questions"])
        > 0.65
    )
    assert found["learnt"]["tree of three questions"] < 0.57


def test_labels_of_order_are_what_the_words_say():
    data = made("order")
    seen = held(data)["before the verb"]
    assert (seen == yes(data)).all()


@given(st.sampled_from(NAMES), st.integers(0, 10**6))
@settings(max_examples=8)
def test_labels_are_what_another_reader_of_the_sentences_finds(name, seed):
    data = made(name, f"size=60,dev=12,test=36,seed={seed},readings=none")
    for item in data.examples():
        found = readings(item.sites[0].sentence.words)
        assert found, item
        for reading in found:
            assert _told(name, reading, item.asked) is (item.label == "yes"), item


def _told(name: str, reading, asked: tuple[str, ...]) -> bool:
    """What a reading says of the asked words."""
    first, last = asked[0], asked[-1]
    said = [word.of for word in reading.words if word.says in ("noun", "predicate")]
    own = [
        n
        for role in ("agent", "patient")
        for n in reading.values(last, role)
        if last not in reading.values(n, "relative")
    ]
    quantified = {n for n in own if reading.values(n, "determiner") in (("no",), ("not one",))}

    def subject(verb: str) -> tuple[str, ...]:
        return reading.values(
            verb, "agent" if reading.values(verb, "voice") == ("active",) else "patient"
        )

    return {
        "content1": lambda: last in said,
        "content2": lambda: first in said and last in said,
        "order": lambda: said.index(first) < said.index(last),
        "sem-role": lambda: first in reading.values(last, "agent"),
        "negation": lambda: reading.values(last, "polarity") == ("positive",) and not quantified,
        "agreement": lambda: reading.values(subject(last)[0], "number") == ("plural",),
        "embedded-tense": lambda: any(
            first in subject(v) and reading.values(v, "tense") == ("past",) for v in said
        ),
        "adjective": lambda: first in reading.values(last, "adjective"),
        "quantifier-scope": lambda: first in quantified,
    }[name]()


@given(st.integers(0, 10**6), st.sampled_from(NAMES))
@settings(max_examples=4)
def test_the_same_options_give_the_same_items_and_another_seed_gives_others(seed, name):
    options = f"size=60,dev=12,test=36,seed={seed},readings=none"
    one = TASKS.make(f"comp/{name},{options}").load()
    same_dataset(one, TASKS.make(f"comp/{name},{options}").load())
    other = TASKS.make(f"comp/{name},{options.replace(str(seed), str(seed + 1))}").load()
    assert {s.text for s in one.sentences} != {s.text for s in other.sentences}


@pytest.mark.parametrize("name", ["content1", "sem-role"])  # one asked word, and two
def test_several_questions_about_a_sentence_have_both_answers(name):
    data = made(name, f"{SMALL},per_sentence=2,readings=none")
    assert len(data.sentences) == len(data) // 2
    answers = np.zeros((len(data.sentences), 2), int)
    np.add.at(answers, (data.sites[:, 0, 0], yes(data).astype(int)), 1)
    assert (answers == 1).all()


def test_words_of_one_s_own(tmp_path):
    file = tmp_path / "request.json"
    file.write_text(
        '{"nouns": ["king", "queen", "poet", "pupil", "guest"], "verbs": ["hug", "envy", "pay",'
        ' "sneeze", "smile", "hire"]}'
    )
    data = made("sem-role", f"size=200,dev=40,test=120,request={file}")
    assert set(data.vocabulary) <= {
        "king",
        "queen",
        "poet",
        "pupil",
        "guest",
        "hug",
        "envy",
        "pay",
        "sneeze",
        "smile",
        "hire",
    }
    assert (
        TASKS.make(f"comp/order,request={file}").fingerprint != TASKS.make("comp/order").fingerprint
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("size=2", "at least 8 items"),
        ("per_sentence=0", "at least 1 question"),
        ("mode=paper,balance=none", "mode=controlled"),
        ("request=/no/such.json", "no/such.json"),
        ("request=FILE", "no noun 'unicorn'"),
        ("request=BARE", "asked for in"),
    ],
)
def test_what_cannot_be_built_is_said_in_a_line(options, message, tmp_path):
    (tmp_path / "unicorn.json").write_text('{"nouns": ["unicorn"]}')
    bare = (
        '{"nouns": ["man", "woman", "poet"], "verbs": ["help", "call"], "aspect": ["simple"],'
        ' "tense": ["past"], "number": ["plural"], '
    )
    (tmp_path / "bare.json").write_text(bare + '"frames": ["transitive"], "at_most": {}}')
    options = options.replace("FILE", str(tmp_path / "unicorn.json")).replace(
        "BARE", str(tmp_path / "bare.json")
    )
    with pytest.raises((DataProblem, OSError), match=message) as caught:
        TASKS.make(f"comp/sem-role,{options}").load()
    assert "\n" not in str(caught.value)
