"""Floors of questions about words: what a probe is given of the words near the asked ones, checked
by hand, and that they stand in every table.
"""

from __future__ import annotations

import numpy as np
import pytest

import lingprobe
from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.data.oracles import TaskWithBaselines, get_encoder_role
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.tasks import TASKS, list_task_names
from lingprobe_extensions.compose.comp.shallow import language_of, shallow_examples

FLOORS = ("window", "ngrams")


def asked(text: str, *words: str, label: str = "yes", split: str = "train") -> Example:
    return Example((Site(Sentence.of(text.split())),), label, split, words)


def read(floor: str, data: Dataset) -> Readings:
    encoder = ENCODERS.make(floor)
    return Readings(data, encoder.encode(data.sentences), encoder.own_view)


TWO = [
    asked("the doctor called the man", "doctor", "call"),
    asked("the man called the doctor", "doctor", "call", label="no"),
]


def test_a_window_has_the_tags_around_each_asked_word_and_which_comes_first():
    data = Dataset.of(TWO)
    features = read("window:1", data).features("-")
    tags = ["the", "noun", "verb-ed"]  # in the order of the first sentence
    # doctor, then called: left, own, right
    first = ["the", "noun", "verb-ed", "noun", "verb-ed", "the"]
    second = ["the", "noun", None, "noun", "verb-ed", "the"]  # nothing follows the doctor
    for row, around, before in zip(features, (first, second), (1, 0), strict=True):
        hot = np.concatenate([[tag == other for other in tags] for tag in around])
        assert row.tolist() == [*data.one_hot_asked()[0], *hot.astype(float), before]


def test_nouns_are_alike_and_small_words_are_themselves():
    data = Dataset.of(
        [
            asked("the doctor called the man", "call"),
            asked("the nurse helped the judge", "help"),
            asked("not one nurse helped the judge", "help"),
        ]
    )
    one, two, three = read("window:2", data).features("-")[:, len(data.vocabulary) :]
    assert (one == two).all()
    assert (one != three).any()


def test_n_grams_mark_the_asked_word_and_are_drawn_by_themselves():
    same = Dataset.of([asked("the doctor that slept laughed", word) for word in ("sleep", "laugh")])
    marked = read("ngrams", same).features("-")[:, len(same.vocabulary) :]
    assert (marked[0] != marked[1]).any()
    again = Dataset.of([asked("the nurse that danced slept", "dance"), *same.examples()])
    drawn = read("ngrams", again).features("-")[:, len(again.vocabulary) :]
    assert drawn[1:] == pytest.approx(marked)
    assert drawn[0] == pytest.approx(drawn[1])  # of other words and the same tags


def test_n_grams_are_the_mean_of_all_of_them():
    data = Dataset.of([asked("the doctor slept", "sleep"), asked("the doctor sleeps", "sleep")])
    [one, _] = read("ngrams:1,dim=8", data).features("-")[:, 1:]
    only = Dataset.of([asked("slept", "sleep"), asked("doctor", "doctor")])
    [verb, _] = read("ngrams:1,dim=8", only).features("-")[:, 2:]
    unmarked = Dataset.of([asked("the slept", "sleep"), asked("doctor slept", "sleep")])
    [the, noun] = 2 * read("ngrams:1,dim=8", unmarked).features("-")[:, 1:] - verb
    assert one == pytest.approx((the + noun + verb) / 3, abs=1e-6)


@pytest.mark.parametrize("floor", FLOORS)
def test_columns_mean_the_same_in_every_split(floor):
    data = Dataset.of(
        [
            asked("no man that slept laughed", "laugh"),
            *TWO_VERBS,
            asked("the man that slept laughed", "laugh", split="test"),
        ]
    )
    whole = read(floor, data)
    rows = np.array([3, 1])
    assert whole.take(rows).features("-") == pytest.approx(whole.features("-")[rows])


TWO_VERBS = [
    asked("the man that no woman helped laughed", "laugh"),
    asked("the man that no woman helped laughed", "help"),
]


@pytest.mark.parametrize("floor", FLOORS)
def test_an_asked_word_that_does_not_stand_there_has_nothing_around_it(floor):
    data = Dataset.of([*TWO, asked("the man called the doctor", "doctor", "help")])
    assert read(floor, data).features("-").shape[0] == 3
    assert shallow_examples(data).places.tolist() == [[1, 2], [4, 2], [4, -1]]
    other = CONTROLS.make("random-asked")(data)
    assert read(floor, other).features("-").shape == read(floor, data).features("-").shape


@pytest.mark.parametrize("floor", FLOORS)
def test_where_no_words_are_asked_or_known_the_reason_is_told(floor):
    for data in (
        Dataset.of([asked("the man slept")]),
        Dataset.of([asked("the blorp slept", "blorp")]),
    ):
        with pytest.raises(ReadingProblem, match="asked words"):
            read(floor, data).features("-")


def test_the_language_is_the_one_that_has_all_asked_words():
    assert language_of(Dataset.of(TWO)).name == "English"
    polish = Dataset.of([asked("lekarz , którego aktor witał , śpi", "lekarz", "witać")])
    assert language_of(polish).name == "Polish"
    assert shallow_examples(polish).places.tolist() == [[0, 4]]


@pytest.mark.parametrize("name", [*list_task_names("comp"), "released/order"])
def test_every_task_brings_its_floors(name):
    task = TASKS.make(f"comp/{name}")
    assert isinstance(task, TaskWithBaselines)
    assert tuple(task.baselines) == FLOORS
    assert {get_encoder_role(ENCODERS.make(floor)) for floor in FLOORS} == {"baseline"}


def test_floors_stand_in_the_table_and_find_what_stands_next_to_the_asked_word(tmp_path):
    task = "comp/negation,language=polish,size=240,dev=24,test=120,readings=none"
    done = lingprobe.run(task, "bow:random,dim=8", seeds=1, output=tmp_path, progress=False)
    scores = {result.trial.encoder.partition(",")[0]: result.score for result in done.results}
    assert scores["window:2"] > 0.9  # "nie" stands before the verb
    assert scores["bow:random"] == pytest.approx(0.5)
    assert scores["ngrams:3"] > 0.5
