"""What tasks and encoders declare so that a table can show what is trivial and what is possible."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pytest

from lingprobe.data.core import DataProblem, Dataset, Sentence
from lingprobe.data.oracles import Facts, facts_of, get_encoder_role, oracles_of
from lingprobe.encoders import kind_of_reference, make_encoder
from lingprobe.testing import TINY_DATASET_FAMILIES, check_task


@dataclass(frozen=True)
class Told:
    """A tiny task whose annotation is what a test says."""

    family: str = "sentence"
    known: Mapping[Sentence, Facts] | None = None
    name: str = "told"
    question: str = "What is told?"
    metric: str = "accuracy"
    probe: str = "logreg"
    view: str = "mean"

    @property
    def oracles(self) -> Mapping[str, str]:
        return {"words": "the words", "lengths": "their lengths"}

    def facts(self, oracle: str, sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
        told = str if oracle == "words" else len
        return (
            self.known
            if self.known is not None
            else {s: tuple((f"{told(w)}",) for w in s.words) for s in sentences}
        )

    def load(self) -> Dataset:
        return TINY_DATASET_FAMILIES[self.family]((300, 60, 100))


def test_a_task_without_annotation_has_no_oracle():
    assert oracles_of(make_table := TableLike()) == {}
    assert make_table.load()


@dataclass(frozen=True)
class TableLike:
    name: str = "plain"
    question: str = "What?"
    metric: str = "accuracy"
    probe: str = "logreg"
    view: str = "mean"

    def load(self) -> Dataset:
        return TINY_DATASET_FAMILIES["sentence"]()


def test_facts_are_those_of_the_data_set_alone():
    task = Told()
    dataset = task.load()
    known = facts_of(task, None, dataset)
    assert list(known) == list(dataset.sentences)
    assert known[dataset.sentences[0]][0] == ("the",)
    assert facts_of(task, "lengths", dataset)[dataset.sentences[0]][0] == ("3",)
    check_task(task)


def test_sentences_that_an_oracle_knows_nothing_of_are_named():
    dataset = Told().load()
    with pytest.raises(DataProblem, match=r"told: its oracle 'words' has nothing on 'the"):
        facts_of(Told(known={}), None, dataset)


def test_a_task_about_spans_needs_facts_word_by_word():
    dataset = Told("span").load()
    short = dict.fromkeys(dataset.sentences, (("fact",),))
    with pytest.raises(DataProblem, match=r"1 units for the 10 words"):
        facts_of(Told("span", short), None, dataset)
    assert facts_of(
        Told("sentence", dict.fromkeys(Told().load().sentences, ())), None, Told().load()
    )


@pytest.mark.parametrize(
    ("reference", "kind"),
    [
        ("length", "baseline"),
        ("words", "baseline"),
        ("random", "baseline"),
        ("bow:random", "baseline"),
        ("static:vectors.vec", "baseline"),
        ("untrained:bilstm-max", "baseline"),
        ("hf:bert-base-cased,weights=random", "baseline"),
        ("hf:bert-base-cased", "trained"),
        ("st:all-MiniLM-L6-v2", "trained"),
        ("gold:clause", "oracle"),
    ],
)
def test_every_encoder_declares_what_it_is(reference, kind):
    assert get_encoder_role(make_encoder(reference)) == kind
    assert kind_of_reference(reference) == kind


def test_an_encoder_of_ones_own_is_trained_unless_it_says_otherwise():
    class Mine:
        name = "mine"
        takes = "sentences"

        def encode(self, sentences):
            raise NotImplementedError

    class Trivial(Mine):
        kind = "baseline"

    assert get_encoder_role(Mine()) == "trained"
    assert get_encoder_role(Trivial()) == "baseline"
    assert kind_of_reference("gone.py@Mine") == kind_of_reference("no such thing") == "trained"
