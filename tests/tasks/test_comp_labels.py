"""Labels of composition under faults: what readings answer must contradict each that is wrong, and
no other.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from sonde.core import DataProblem
from sonde.generation.readings.find import agreeing
from sonde.tasks import TASKS, names
from sonde.tasks.comp import data as comp_data
from sonde.tasks.comp import family
from sonde.tasks.comp.family import DESIGNS

SMALL = "size=80,dev=16,test=48,balance=none"  # what is balanced says nothing of labels
NAMES = names("comp")
PARTS = {
    "adjective": {"adjectives": 2, "relatives": 1, "together": 3},
    "embedded-tense": {"complements": 1, "relatives": 1, "together": 2},
}


@pytest.fixture(scope="module")
def requests(tmp_path_factory):
    """A file a task: a request of few structures, so that its sets are built in a second."""
    folder = tmp_path_factory.mktemp("requests")
    for name in NAMES:
        asked = {
            "aspect": ["simple", "progressive"],
            "at_most": PARTS.get(name, {"relatives": 1, "together": 1}),
        }
        (folder / f"{name}.json").write_text(json.dumps(asked), "utf-8")
    return folder


@pytest.fixture
def made(requests):
    """Builds sets anew: what is remembered of them is forgotten, before a fault and after it."""

    def build(name, readings="all"):
        for known in (family._made, family._plan):
            known.cache_clear()
        return TASKS.make(
            f"comp/{name},{SMALL},readings={readings},request={requests / name}.json"
        ).load()

    yield build
    family._made.cache_clear()
    family._plan.cache_clear()


def contradicted(name, found):
    """Which items have a label of which all readings of the sentence say the opposite, [n]."""

    def answer(item):
        return agreeing(
            item.sites[0].sentence.words, lambda reading: DESIGNS[name].answer(reading, item.asked)
        )

    return np.array([answer(item) is (item.label == "no") for item in found.examples()])


def touched(wrong, right):
    """Which items have another label, [n]; all else is as it was."""
    both = list(zip(wrong.examples(), right.examples(), strict=True))
    assert all((one.sites, one.asked) == (other.sites, other.asked) for one, other in both)
    return np.array([one.label != other.label for one, other in both])


@pytest.mark.parametrize("name", NAMES)
def test_readings_contradict_no_label_and_each_that_is_laid_out_wrong(name, made, monkeypatch):
    right = made(name)
    assert not contradicted(name, right).any()
    rows = comp_data._rows
    monkeypatch.setattr(
        comp_data,
        "_rows",
        lambda *told: (row._replace(answer=row.answer ^ (row.split == 1)) for row in rows(*told)),
    )
    wrong = made(name)
    assert touched(wrong, right).any()
    assert (contradicted(name, wrong) == touched(wrong, right)).all()


def inverted(asks, where):
    """Contrasts whose labels are wrong where the clause of the asked verb, and its voice, are so
    and so.
    """

    def fault(placed, language):
        for contrast in asks(placed, language):
            voices = {at.prefix: at.clause.voice for at in placed.clauses}
            yield replace(
                contrast,
                questions=tuple(
                    q._replace(first=q.first ^ where(q.clause, voices[q.clause]))
                    for q in contrast.questions
                ),
            )

    return fault


WHERE = {
    "everywhere": lambda clause, voice: True,
    "in relative clauses": lambda clause, voice: "relative" in clause,
    "of passives": lambda clause, voice: voice == "passive",
}
FAULTS = [(name, "everywhere") for name in NAMES]
FAULTS += [
    (name, where)
    for name in ("content1", "order", "sem-role")
    for where in WHERE
    if where != "everywhere"
]


@pytest.mark.parametrize(("name", "where"), FAULTS)
def test_a_set_with_inverted_labels_is_not_built(name, where, made, monkeypatch):
    right = made(name, "none")
    monkeypatch.setitem(
        DESIGNS, name, replace(DESIGNS[name], asks=inverted(DESIGNS[name].asks, WHERE[where]))
    )
    wrong = made(name, "none")
    assert touched(wrong, right).any()
    assert (contradicted(name, wrong) == touched(wrong, right)).all()
    with pytest.raises(
        DataProblem, match=r"every reading answers .*, and its label is the opposite"
    ):
        made(name)
