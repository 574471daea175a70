"""Labels of composition under faults: what readings answer must contradict each that is wrong, and
no other.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS
from lingprobe_extensions.compose.comp import data as comp_data
from lingprobe_extensions.compose.comp import family
from lingprobe_extensions.compose.comp.designs import DESIGNS_BY_LANGUAGE
from lingprobe_extensions.compose.readings.find import find_agreed_answer

SMALL = "size=80,dev=16,test=48,balance=none"  # what is balanced says nothing of labels
NAMES = [
    (language, name)
    for language, designs in DESIGNS_BY_LANGUAGE.items()
    for name, design in designs.items()
    if not isinstance(design, str)
]
ASPECTS = {"english": ["simple", "progressive"], "polish": ["imperfective", "perfective"]}
PARTS = {
    "adjective": {"adjectives": 2, "relatives": 1, "together": 3},
    "embedded-tense": {"complements": 1, "relatives": 1, "together": 2},
}


@pytest.fixture(scope="module")
def requests(tmp_path_factory):
    """A file a task: a request of few structures, so that its sets are built in a second."""
    folder = tmp_path_factory.mktemp("requests")
    for language, name in NAMES:
        asked = {
            "aspect": ASPECTS[language],
            "at_most": PARTS.get(name, {"relatives": 1, "together": 1}),
        }
        (folder / f"{language}-{name}.json").write_text(json.dumps(asked), "utf-8")
    return folder


@pytest.fixture
def made(requests, monkeypatch):
    """Builds sets anew, and leaves what is remembered of other sets as it is."""

    def build(language, name, readings="all", forgotten=("_generate_pairs", "_plan")):
        for known in forgotten:
            monkeypatch.setattr(family, known, cache(getattr(family, known).__wrapped__))
        return TASKS.make(
            f"comp/{name},{SMALL},readings={readings},language={language},"
            f"request={requests / language}-{name}.json"
        ).load()

    return build


def contradicted(language, name, found):
    """Which items have a label of which all readings of the sentence say the opposite, [n]."""

    def answer(item):
        told = DESIGNS_BY_LANGUAGE[language][name].answer
        words = item.sites[0].sentence.words
        return find_agreed_answer(words, lambda reading: told(reading, item.asked), language)

    return np.array([answer(item) is (item.label == "no") for item in found.examples()])


def touched(wrong, right):
    """Which items have another label, [n]; all else is as it was."""
    both = list(zip(wrong.examples(), right.examples(), strict=True))
    assert all((one.sites, one.asked) == (other.sites, other.asked) for one, other in both)
    return np.array([one.label != other.label for one, other in both])


@pytest.mark.parametrize(("language", "name"), NAMES)
def test_readings_contradict_no_label_and_each_that_is_laid_out_wrong(
    language, name, made, monkeypatch
):
    right = made(language, name)
    assert not contradicted(language, name, right).any()
    rows = comp_data._list_question_rows
    monkeypatch.setattr(
        comp_data,
        "_list_question_rows",
        lambda *told: (row._replace(answer=row.answer ^ (row.split == 1)) for row in rows(*told)),
    )
    wrong = made(language, name, forgotten=())  # of the same pairs
    assert touched(wrong, right).any()
    assert (contradicted(language, name, wrong) == touched(wrong, right)).all()


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
FAULTS = [(*both, "everywhere") for both in NAMES]
FAULTS += [
    (language, name, where)
    for language in DESIGNS_BY_LANGUAGE
    for name in ("content1", "order", "sem-role")
    for where in WHERE
    if where != "everywhere"
]


@pytest.mark.parametrize(("language", "name", "where"), FAULTS)
def test_a_set_with_inverted_labels_is_not_built(language, name, where, made, monkeypatch):
    right = made(language, name, "none") if where != "everywhere" else None
    design = DESIGNS_BY_LANGUAGE[language][name]
    monkeypatch.setitem(
        DESIGNS_BY_LANGUAGE[language],
        name,
        replace(design, asks=inverted(design.asks, WHERE[where])),
    )
    if right is not None:  # elsewhere labels stay, and are not contradicted
        wrong = made(language, name, "none")
        assert touched(wrong, right).any()
        assert (contradicted(language, name, wrong) == touched(wrong, right)).all()
    with pytest.raises(
        DataProblem, match=r"every reading answers .*, and its label is the opposite"
    ):
        made(language, name)
