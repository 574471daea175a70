"""No encoder that was asked for vanishes behind another of the same name, in a call or in a folder
of results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from fixtures.models import sentence_transformer
from fixtures.scored import to_scores as rows
from lingprobe import evaluate
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.vectors import Vectors
from lingprobe.experiment.newest import keep_newest
from lingprobe.experiment.readers import get_revision, map_encoders_by_name
from lingprobe.store.results import ResultStore

HOW = {"probes": ["logreg"], "seeds": 1, "baselines": "none", "progress": False}


def by_length(sentences):
    return np.array([[len(s), 1] for s in sentences], np.float32)


class Model:
    """As most libraries have it: an object with `encode`, whose state no file shows."""

    def __init__(self, power: int) -> None:
        self.power = power

    def encode(self, sentences):
        return by_length(sentences) ** self.power


@dataclass
class Stateful:
    """An encoder that says what it is called, and nothing of what it holds."""

    weights: np.ndarray
    name: str = "stateful"
    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return Vectors((by_length([s.text for s in sentences]) * self.weights,))


@dataclass(frozen=True)
class Power:
    """An encoder whose settings are all that it is."""

    power: int
    name: str = "power"
    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return Vectors((by_length([s.text for s in sentences]) ** self.power,))


@dataclass(frozen=True)
class Stated:
    """An encoder that states what it is."""

    fingerprint: str
    name: str = "declared"
    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        raise NotImplementedError


@dataclass(frozen=True)
class Declared:
    """An encoder that says what it is called."""

    revision: str
    name: str = "declared"
    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        raise NotImplementedError


@pytest.fixture
def how(tmp_path):
    return HOW | {"output": tmp_path / "results", "cache": tmp_path / "cache"}


def scores(results):
    return {row.encoder: row.score for row in rows(results)}


def saved(how):
    return keep_newest(result for _, result in ResultStore(how["output"]).read())


def times(factor):
    return lambda s: by_length(s) * factor


# two of one file, one line and one name
ONE, OTHER = (lambda s: by_length(s) + 1), (lambda s: by_length(s) * [[1, 0]] - 1)
PAIRS = {
    "functions without a name": (ONE, OTHER),
    "functions of one name that close over something": (times(1), times(0)),
    "objects of one class": (Model(1), Model(0)),
    "methods of objects of one class": (Model(1).encode, Model(0).encode),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_two_live_things_have_two_rows(pair, task, how):
    alone = [
        scores(evaluate(thing, task, **HOW, cache=how["cache"] / str(i)).results)
        for i, thing in enumerate(pair)
    ]
    (name,) = alone[0]
    assert scores(evaluate(list(pair), task, **how).results) == {
        name: alone[0][name],
        f"{name} #2": alone[1][name],
    }


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_one_after_the_other_into_one_folder_keeps_both_rows(pair, task, how):
    first, second = (scores(evaluate(thing, task, **how).results) for thing in pair)
    assert len(first) == len(second) == 1
    assert scores(saved(how)) == first | second
    assert len(first | second) == 2


def test_models_go_by_their_path_and_a_changed_model_is_another(tmp_path, task, how):
    from sentence_transformers import SentenceTransformer

    models = [
        SentenceTransformer(str(sentence_transformer(tmp_path / name)), device="cpu")
        for name in ("one", "other")
    ]
    import torch

    with torch.no_grad():
        next(models[1].parameters()).normal_()
    assert set(scores(evaluate(models, task, **how).results)) == {"one/model", "other/model"}
    with torch.no_grad():
        next(models[0].parameters()).mul_(2)
    (again,) = scores(evaluate(models[0], task, **how).results)
    assert again == "one/model #2"
    assert set(scores(saved(how))) == {"one/model", "other/model", "one/model #2"}


def test_an_object_that_says_nothing_of_its_state_is_never_taken_for_what_it_was(task, how):
    encoder = Stateful(np.ones(2, np.float32))
    (before,) = scores(evaluate(encoder, task, **how).results).values()
    encoder.weights[:] = 0
    (after,) = scores(evaluate(encoder, task, **how).results).values()
    assert before != after
    both = scores(
        evaluate(
            [Stateful(np.ones(2, np.float32)), Stateful(np.zeros(2, np.float32))], task, **how
        ).results
    )
    assert both == {"stateful": before, "stateful #2": after}


def test_of_an_object_that_has_settings_alone_these_are_its_state(task, how):
    table = scores(evaluate([Power(1), Power(0)], task, **how).results)
    assert len(set(table.values())) == 2
    again = evaluate({"long": Power(1), "flat": Power(0)}, task, **how)
    assert scores(again.results) == {"long": table["power"], "flat": table["power #2"]}


def test_names_can_be_given(task, how):
    table = scores(evaluate({"flat": Model(0), "long": Model(1)}, task, **how).results)
    assert set(table) == {"flat", "long"}
    evaluate({"flat": Model(2)}, task, **how)  # what is named so is measured again
    assert set(scores(saved(how))) == {"flat", "long"}


def test_a_thing_that_is_known_keeps_its_name():
    one, two = map_encoders_by_name([ONE, OTHER])
    assert (one, two) == ("<lambda>", "<lambda> #2")
    known = get_revision(map_encoders_by_name([OTHER])["<lambda>"])
    assert list(map_encoders_by_name([ONE], lambda: {"<lambda>": {known}})) == ["<lambda> #2"]
    assert list(map_encoders_by_name([OTHER], lambda: {"<lambda>": {known}})) == ["<lambda>"]


def test_functions_that_are_called_as_our_encoders_are_not_taken_for_them():
    def length(sentences):
        return by_length(sentences)

    assert list(map_encoders_by_name([length, "length"])) == ["length #2", "length"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([ONE, ONE], "'<lambda>' is given twice"),
        (
            [Stated("1"), Stated("1")],
            "two encoders are called 'declared'; name them",
        ),
        ([Declared("1", "length"), "length"], "both called 'length'"),
        ({"mine": "length"}, "'length' is a reference and needs no name"),
        ({"length": ONE}, "'length' cannot name a model"),
        ({"st:mine": ONE}, "'st:mine' cannot name a model"),
        ({"a": ONE, "b": ONE}, "'a' is given twice"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(given, said):
    with pytest.raises(DataProblem, match=said):
        map_encoders_by_name(given)


def test_declared_names_are_told_apart_by_what_is_declared():
    assert list(map_encoders_by_name([Declared("1"), Declared("2")])) == ["declared", "declared #2"]
    assert list(map_encoders_by_name(["length", "length"])) == [
        "length"
    ]  # one reference is one encoder
