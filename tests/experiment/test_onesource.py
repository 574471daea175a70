"""What the source alone answers is a note of every data set whose examples come from several."""

from __future__ import annotations

from sonde.core import Dataset, Example, Sentence
from sonde.experiment.data import load
from sonde.experiment.onesource import worth
from sonde.notes import SourceRule


class Pooled:
    """A task of two sources; all of one have label x in train, three of four in test."""

    name = "test/pooled"

    def __init__(self, names=("a", "b")):
        self.names = names

    def load(self):
        test = [(k % 2, (k % 2) ^ (k % 8 < 2)) for k in range(80)]
        rows = [("train", k % 2, k % 2) for k in range(40)] + [("test", *row) for row in test]
        said = [Sentence.of([f"w{k}"]) for k in range(len(rows))]
        return Dataset.of(
            Example.about(s, "xy"[y], split, source=self.names[k])
            for s, (split, k, y) in zip(said, rows, strict=True)
        )


def test_it_is_the_commonest_label_of_a_source_in_train():
    found = load(Pooled()).notes.part(SourceRule)
    assert (found.test, found.constant) == (0.75, 0.5)
    assert 0.5 < found.low < 0.75


def test_one_source_has_no_note():
    assert load(Pooled(("a", "a"))).notes.part(SourceRule) is None


def test_scores_have_none():
    pooled = Pooled().load()
    told = Dataset.of(
        Example.about(Sentence.of(["w"]), float(k), split, source="ab"[k])
        for split in ("train", "test")
        for k in (0, 1)
    )
    assert worth(pooled)
    assert not worth(told)
