"""`limit=N` beside the options of any task, and `--limit N`."""

import numpy as np
import pytest

import lingprobe
from lingprobe.corpora.embedded import generate_treebank
from lingprobe.data.core import DATA_SPLITS
from lingprobe.experiment import data
from lingprobe.tasks import TASKS, limit_tasks
from lingprobe.tasks.limits import LimitedTask
from lingprobe.testing import TINY_DATASET_FAMILIES

pytestmark = pytest.mark.usefixtures("whole_treebank")  # without folds
WHOLE, PART = "ud/tense:embedded", "ud/tense:embedded,limit=1800"


def test_splits_and_classes_keep_their_shares():
    whole, part = TASKS.make(WHOLE).load(), TASKS.make(PART).load()
    assert len(part) == 1800
    for split in DATA_SPLITS:
        share = len(whole.rows(split)) / len(whole)
        assert len(part.rows(split)) == pytest.approx(1800 * share, abs=1)
        counts = part.labels.take(part.rows(split)).counts().values()
        assert max(counts) - min(counts) <= 1  # the whole is balanced


@pytest.mark.parametrize(
    ("limit", "splits"), [(20, (11, 3, 6)), (90, (45, 15, 30)), (500, (350, 50, 100))]
)
def test_a_small_part_keeps_enough_to_test_on(limit, splits):
    part = TASKS.make(f"{WHOLE},limit={limit}").load()
    assert tuple(len(part.rows(split)) for split in DATA_SPLITS) == splits


def test_only_sentences_of_its_examples_are_left():
    whole, part = TASKS.make(WHOLE).load(), TASKS.make(PART).load()
    assert set(part.sentences) < set(whole.sentences)
    assert set(np.unique(part.sites[:, :, 0])) == set(range(len(part.sentences)))
    known = {example.sites: example for example in whole.examples()}
    assert all(known[example.sites] == example for example in part.examples())


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_data_of_every_family_can_be_limited(family):
    class Task:
        name, question, metric, probe, view = "mine", "?", "accuracy", "logreg", "mean"

        def load(self):
            return TINY_DATASET_FAMILIES[family]((40, 10, 10))

    (task,) = limit_tasks([Task()], 12)
    assert task.name == "mine,limit=12"
    assert [len(task.load().rows(split)) for split in DATA_SPLITS] == [6, 2, 4]


def test_a_limit_above_all_leaves_all():
    assert len(TASKS.make(f"{WHOLE},limit=1000000").load()) == len(TASKS.make(WHOLE).load())


@pytest.mark.parametrize("value", ["2", "0", "-5", "many"])
def test_a_limit_leaves_each_split_an_example(value):
    with pytest.raises(
        lingprobe.ReferenceProblem, match=r"ud/tense,limit=.*not a whole number of at"
    ):
        TASKS.make(f"{WHOLE},limit={value}")


def test_tables_mark_it_and_it_is_never_taken_for_the_whole(tmp_path):
    asked = {"probes": "logreg", "baselines": "none", "output": tmp_path}
    part = lingprobe.run(WHOLE, "length", limit=90, **asked)
    assert "ud/tense:embedded,limit=90" in str(part)
    assert "At most 90 examples per task: a preview" in part.verdicts.basis
    whole = lingprobe.run(WHOLE, "length", **asked)
    assert whole.fresh == 5  # folds
    assert {r.n for r in part.results} != {r.n for r in whole.results}


def test_a_suite_is_not_limited():
    with pytest.raises(lingprobe.UsageProblem, match="leave the limit out"):
        lingprobe.suite("ud2019:embedded", "length", limit=90)


def test_a_run_of_a_part_is_repeated_without_reading_it_and_made_anew_where_its_file_changed(
    tmp_path, monkeypatch
):
    bank = tmp_path / "a-ud-train.conllu"
    bank.write_text("\n".join(generate_treebank(500)), "utf-8")

    def asked():
        return lingprobe.run(
            f"ud/sent-len:{bank},limit=100", "length", probes=["logreg"], seeds=1, baselines="none"
        )

    first = asked()
    assert first.fresh == len(first) > 0
    with monkeypatch.context() as patch:
        patch.setattr(LimitedTask, "load", None)
        patch.setattr(data, "_datasets", {})
        again = asked()
    assert again.fresh == 0
    assert [result.score for result in again] == [result.score for result in first]
    bank.write_text("\n".join(generate_treebank(480, after=20)), "utf-8")
    assert asked().fresh == len(first)
