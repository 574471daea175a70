"""The five released sets of Ettinger et al. 2018: their layout, what is carved, what is wrong with
a file.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lingprobe.data.core import DataProblem, Example, Sentence, Site
from lingprobe.tasks import TASKS, list_task_names
from lingprobe.tasks.released.receipts import all_published
from lingprobe_extensions.compose.comp.released import find_single_reading, label_example_strata
from tasks.publications import compeval

NAMES = list_task_names("comp/released")
DATA = (
    Path(os.environ.get("LINGPROBE_DATA", "/nowhere")) / "published_probing" / "compeval-released"
)
real = pytest.mark.skipif(not DATA.is_dir(), reason="LINGPROBE_DATA has no compeval-released")
SIZES = {
    "content1": (4002, 1002),
    "content2": (4004, 1000),
    "order": (4000, 1000),
    "sem-role": (4002, 1000),
    "negation": (4000, 1000),
}


def load(name, place, *options):
    return TASKS.make(",".join([f"comp/released/{name}:{place}", *options])).load()


@pytest.mark.parametrize(
    ("name", "asked"), [("content1", ("wait",)), ("sem-role", ("king", "wait"))]
)
def test_labels_are_answers_and_asked_words_fill_their_slots(tmp_path, name, asked):
    first = next(load(name, compeval(tmp_path), "dev=none").examples())
    assert (first.label, first.asked, first.sites[0].sentence.text) == (
        "no",
        asked,
        "the king that waits helps the judge",
    )
    assert first.strata["asked"] == " ".join(asked)


@pytest.mark.parametrize("name", NAMES)
def test_they_are_read_with_the_paper_s_probe_and_one_hot_asked_words(tmp_path, name):
    made = TASKS.make(f"comp/released/{name}:{compeval(tmp_path)}")
    assert (made.metric, made.probe, made.view) == (
        "accuracy",
        "mlp,protocol=ettinger",
        "mean+asked",
    )


def test_a_dev_split_is_carved_by_sentences_and_noted_or_left_out(tmp_path):
    place = compeval(tmp_path)
    lines = (place / "order" / "train.txt").read_text("utf-8").splitlines()
    other = [line.replace("helps", "hears") for line in lines] + [
        line.replace("helps", "sees") for line in lines
    ]
    (place / "order" / "train.txt").write_text("\n".join([*lines, *other]) + "\n", "utf-8")
    carved, whole = load("order", place), load("order", place, "dev=none")
    assert [len(whole.rows(s)) for s in ("train", "dev", "test")] == [36, 0, 12]
    assert carved.notes["dev"]["carved_from_train"] == len(carved.rows("dev")) > 0
    dev, train = (
        {e.sites[0].sentence for e in carved.take(carved.rows(s)).examples()}
        for s in ("dev", "train")
    )
    assert not dev & train
    assert (load("order", place, "seed=1").splits != carved.splits).any()
    assert (load("order", place).splits == carved.splits).all()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "TRUE\ts1\tthe king waits\tking",
            r"train.txt:2: 4 columns, not 5 \(label, sentence id, words, asked noun, asked verb",
        ),
        (
            "MAYBE\ts1\tthe king waits\tking\twait",
            "train.txt:2: label 'MAYBE' is not one of TRUE, FALSE",
        ),
        ("TRUE\ts1\tthe king waits\tking\t ", "train.txt:2: a probed word is empty"),
        ("TRUE\ts1\t \tking\twait", "train.txt:2: there are no words"),
    ],
)
def test_a_bad_row_is_named(tmp_path, line, told):
    file = compeval(tmp_path) / "sr" / "train.txt"
    rows = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([rows[0], line, *rows[1:]]) + "\n", "utf-8")
    with pytest.raises(DataProblem, match=told):
        load("sem-role", tmp_path)
    assert load("sem-role", tmp_path, "on_error=skip").notes["source"]["skipped"] == 1


@pytest.mark.parametrize(
    ("label", "text", "asked", "told"),
    [
        (
            "yes",
            "the doctor that the students called is helping the man",
            ("student", "call"),
            {"voice": "active", "clause": "relative", "number": "nouns differ"},
        ),
        (
            "no",
            "the doctor was not called by the man",
            ("doctor", "call"),
            {
                "voice": "passive",
                "clause": "main",
                "number": "nouns have the same",
                "negative": "patient",
            },
        ),
        (
            "no",
            "the men that sleep help the woman",
            ("man", "help"),
            {
                "voice": "active",
                "clause": "main",
                "number": "nouns differ",
                "negative": "agent",
            },
        ),
        (
            "no",
            "the men that sleep help the woman",
            ("woman", "sleep"),
            {
                "voice": "active",
                "clause": "relative",
                "number": "nouns differ",
                "negative": "unrelated",
            },
        ),
        (
            "no",
            "the men dance",
            ("woman", "dance"),
            {
                "voice": "active",
                "clause": "main",
                "number": "nouns have the same",
                "negative": "noun absent",
            },
        ),
        (
            "no",
            "the men dance",
            ("man", "sleep"),
            {"number": "nouns have the same", "negative": "verb absent"},
        ),
        (
            "no",
            "the men are not often , really dancing",
            ("dance",),
            {"voice": "active", "clause": "main", "number": "nouns have the same"},
        ),
        ("no", "the blorps dance", ("blorp", "dance"), {}),
    ],
)
def test_strata_are_read_off_the_words(label, text, asked, told):
    assert (
        label_example_strata(Example((Site(Sentence.of(text.split())),), label, "train", asked))
        == told
    )


def test_a_file_for_one_asked_word_is_not_read_as_one_for_two(tmp_path):
    with pytest.raises(DataProblem, match="4 columns, not 5"):
        load("order", compeval(tmp_path) / "cont1")


@real
@pytest.mark.parametrize("name", NAMES)
def test_the_released_files_have_the_sizes_that_were_counted(name):
    dataset = load(name, DATA, "dev=none")
    assert (len(dataset.rows("train")), len(dataset.rows("test"))) == SIZES[name]
    assert len(dataset.vocabulary) == (7 if name in ("content1", "negation") else 14)
    assert not dataset.notes["problems"]


def answered(name, words, asked):
    """What the one reading of a sentence answers."""
    found = find_single_reading(words)
    if name == "sem-role":
        return asked[0] in found.values(asked[1], "agent")
    if name == "negation":
        return found.values(asked[0], "polarity") == ("positive",)
    return {*asked} <= {fact.of for fact in found.facts}


@real
@pytest.mark.parametrize("name", [name for name in NAMES if name != "order"])
def test_every_label_is_what_a_reader_of_the_words_alone_says(name):
    wrong = [
        e
        for e in load(name, DATA).examples()
        if answered(name, e.sites[0].sentence.words, e.asked) != (e.label == "yes")
    ]
    assert not wrong


@real
def test_the_released_files_are_known_by_their_checksums():
    for name in NAMES:
        assert all_published(
            [part.path for part in TASKS.make(f"comp/released/{name}:{DATA}").parts()]
        )


def test_the_first_oracle_is_one_that_can_pass_on_pairs_that_train_does_not_ask_about(tmp_path):
    place = compeval(tmp_path)
    assert next(iter(TASKS.make(f"comp/released/order:{place}").oracles)) == "positions"
    assert list(TASKS.make(f"comp/released/sem-role:{place}").oracles) == ["slots", "relations"]
