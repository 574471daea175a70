from urllib.parse import unquote

import numpy as np
import pytest

import lingprobe
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference
from lingprobe.datasets.fold_plan import name_folds
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.datasets.splits import code_shared_groups
from lingprobe.experiment.data import task_identity
from lingprobe.tasks import TASKS
from lingprobe.tasks.find import expand_tasks
from lingprobe.tasks.table import _REDRAWN, TableTask
from lingprobe.testing import TINY_DATASET_FAMILIES, check_task, same_dataset


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_a_table_of_every_family_is_a_task(tmp_path, family, suffix):
    write_dataset(TINY_DATASET_FAMILIES[family](), tmp_path / f"mine.{suffix}")
    reference = f"table:{tmp_path / f'mine.{suffix}'}"
    check_task(reference)
    task = TASKS.make(reference)
    assert task.name == "mine"
    assert task.metric == {"span": "micro-f1", "spans": "micro-f1", "pair": "pearson"}.get(
        family, "accuracy"
    )
    same_dataset(task.load(), TINY_DATASET_FAMILIES[family]())


def test_a_missing_dev_split_is_carved_seeded_and_noted(tmp_path):
    (tmp_path / "a.tsv").write_text(
        "".join(
            f"{'te' if i % 4 == 0 else 'tr'}\t{'xy'[i // 4 % 2]}\tword {i}\n" for i in range(80)
        )
    )
    reference = f"table:{tmp_path / 'a.tsv'}"
    check_task(reference)
    dataset = TASKS.make(reference).load()
    assert [len(dataset.rows(s)) for s in ("train", "dev", "test")] == [54, 6, 20]
    assert dataset.notes["dev"] == {"carved_from_train": 6, "kept_together": "sentences", "seed": 0}
    with pytest.raises(AssertionError):
        same_dataset(dataset, TASKS.make(reference + ",seed=1").load())


def test_a_table_without_train_examples_is_refused(tmp_path):
    (tmp_path / "a.tsv").write_text("te\tx\ta\nva\ty\tb\n")
    with pytest.raises(DataProblem, match=r"no train examples \(it has dev, test\)"):
        TASKS.make(f"table:{tmp_path / 'a.tsv'}").load()


def test_too_few_examples_make_no_folds(tmp_path):
    (tmp_path / "a.tsv").write_text("tr\tx\ta\nva\ty\tb\n")
    with pytest.raises(DataProblem, match=r"2 examples that must keep .* make no 2 folds"):
        TASKS.make(f"table:{tmp_path / 'a.tsv'}").load()


def test_a_missing_file_is_told_when_the_task_is_made(tmp_path):
    with pytest.raises(DataProblem, match="no file"):
        TASKS.make(f"table:{tmp_path / 'none.parquet'}")


def test_the_content_of_the_file_is_its_identity(tmp_path):
    file = tmp_path / "a.tsv"
    file.write_text("tr\tx\ta\n")
    task = TASKS.make(f"table:{file}")
    before = task.fingerprint
    file.write_text("tr\tx\tb b\n")
    assert task.fingerprint != before


def test_columns_are_in_the_identity_of_an_object(tmp_path):
    file = labelled(tmp_path / "a.csv", "one,two,label", "a {i},b {i},{label}")
    tasks = [
        TableTask(file, text="one"),
        TableTask(file, text="two"),
        TableTask(file, text="one", seed=1),
    ]
    assert len({str(task_identity(None, task)) for task in tasks}) == 3


def labelled(file, headings="text,label", row="a {i},{label}", many=60):
    """A table of a text and a label in each row."""
    rows = [row.format(i=i, label="xy"[i % 2], doc=i // 6) for i in range(many)]
    file.write_text("\n".join([headings, *rows]) + "\n")
    return file


def test_folds_are_of_one_state_of_the_data_and_tasks_of_their_own(tmp_path):
    file = labelled(tmp_path / "a.csv")
    held = lingprobe.table((["a", "b"] * 30, ["x", "y"] * 30))
    for one, other in (
        (TableTask(file, fold="1/5"), TableTask(file, fold="2/5")),
        (held.plus(fold="1/5"), held.plus(fold="2/5")),
    ):
        assert one.fingerprint == other.fingerprint
        assert task_identity(None, one) != task_identity(None, other)


OWN = """
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from lingprobe.data.core import SamplingOptions
from lingprobe.tasks.table import TableTask

@dataclass(frozen=True)
class Own:
    _: KW_ONLY
    fold: str | None = None
    name, question, metric, probe, view = "own", "Which?", "accuracy", "logreg", "mean"
    sampling = SamplingOptions(fold=True)

    def load(self):
        return TableTask(Path(__file__).with_name("a.csv"), fold=self.fold).load()
"""


@pytest.mark.parametrize("source", ["a file", "memory", "a task of one's own"])
def test_all_folds_are_shown_when_results_are_read_again(tmp_path, source):
    file = labelled(tmp_path / "a.csv", many=100)
    (tmp_path / "own.py").write_text(OWN)
    data = {
        "a file": str(file),
        "memory": ([f"a {i}" for i in range(100)], ["x", "y"] * 50),
        "a task of one's own": f"{tmp_path / 'own.py'}@Own",
    }[source]
    done = lingprobe.evaluate(
        "length", data, probes=["logreg"], seeds=1, baselines="none", output=tmp_path / "out"
    )
    assert len(done.results) == 5
    for again in (tmp_path / "out", [done], [done, tmp_path / "out"]):
        [row] = compute_scores(lingprobe.report(again).content)
        assert row.n == 100


@pytest.mark.parametrize("name", ["mine.csv", "mine.tsv.gz", "a%2C b.csv", "some/mine.JSONL"])
def test_the_name_of_a_file_stands_for_its_table(name):
    [reference] = TASKS.expand(f"{name},label=y,limit=9")
    assert reference == Reference("table", unquote(name), (("label", "y"), ("limit", "9")))


def test_the_name_of_a_folder_stands_for_its_table_unless_a_task_is_called_so(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name in ("hub", "ud/tense"):
        (tmp_path / name).mkdir(parents=True)
    assert TASKS.expand("hub,label=y") == [Reference("table", "hub", (("label", "y"),))]
    assert TASKS.expand("ud/tense") == [Reference("ud/tense")]


def test_the_name_of_a_file_makes_the_same_task(tmp_path):
    file = labelled(tmp_path / "a.csv")
    check_task(f"table:{file}")
    assert TASKS.canonical(str(file)) == TASKS.canonical(f"table:{file}")
    same_dataset(TASKS.make(str(file)).load(), TASKS.make(f"table:{file}").load())
    assert len(TASKS.make(f"{file},limit=30").load()) == 30


def test_a_table_without_a_test_split_gets_folds_and_dev_parts(tmp_path):
    file = labelled(tmp_path / "a.csv")
    dataset = TASKS.make(str(file)).load()
    assert len(name_folds(dataset)) == 5
    folds = [TASKS.make(f"{file},fold={k}/5").load() for k in range(1, 6)]
    assert sorted(np.concatenate([fold.rows("test") for fold in folds])) == list(range(60))
    for fold in folds:
        assert (len(fold.rows("test")), len(fold)) == (12, 60)
        assert len(fold.rows("dev")) in (4, 5)  # a tenth of 48


def test_a_dev_split_without_a_test_split_is_drawn_anew_and_said(tmp_path):
    for split, remarks in (("dev", (_REDRAWN,)), ("test", ())):
        (tmp_path / split).mkdir()
        labelled(tmp_path / split / "train.csv", row="train {i},{label}")
        labelled(tmp_path / split / f"{split}.csv", row="other {i},{label}")
        dataset = TASKS.make(f"table:{tmp_path / split}").load()
        drawn = {dataset.sentences[i].words[0] for i in dataset.sites[dataset.rows("test"), 0, 0]}
        assert drawn == ({"train", "other"} if remarks else {"other"})
        assert dataset.notes.remarks[-1:] == remarks


def test_folds_are_for_tables_without_a_test_split(tmp_path):
    file = labelled(tmp_path / "a.csv", "text,label,split", "a {i},{label},test")
    with pytest.raises(DataProblem, match=r"a\.csv has a test split, and fold= divides tables"):
        TASKS.make(f"{file},fold=1/5").load()


def test_rows_of_a_group_stay_together_in_test_and_dev(tmp_path):
    file = labelled(tmp_path / "a.csv", "text,label,doc", "a {i},{label},{doc}")
    dataset = TASKS.make(f"{file},group=doc").load()
    codes = dataset.strata["doc"].codes
    parts = [set(codes[dataset.rows(split)]) for split in ("train", "dev", "test")]
    assert all(parts)
    assert sum(map(len, parts)) == len(set.union(*parts)) == 10
    assert "doc" in code_shared_groups(dataset)


def test_two_texts_are_read_as_pairs(tmp_path):
    pairs = labelled(tmp_path / "a.csv", "premise,hypothesis,label", "a {i},b {i},{label}")
    task = TASKS.make(str(pairs))
    check_task(str(pairs))
    assert (task.view, task.metric) == ("mean+contrast", "accuracy")
    assert TASKS.make(f"{pairs},text=premise").view == "mean"
    assert TASKS.make(f"{pairs},view=mean%2Binfersent").view == "mean+infersent"


def test_numbers_about_two_texts_are_classes_where_there_are_two(tmp_path):
    row = "a {i},b {i},"
    for numbers, metric in ((2, "accuracy"), (3, "")):
        rows = [row.format(i=i) + str(i % numbers) for i in range(60)]
        file = tmp_path / f"{numbers}.csv"
        file.write_text("\n".join(["sentence1,sentence2,label", *rows]) + "\n")
        if metric:
            assert TASKS.make(str(file)).metric == metric
        else:
            with pytest.raises(DataProblem, match="add labels=classes or labels=scores"):
                TASKS.make(str(file))
    assert TASKS.make(f"{file},labels=scores").metric == "pearson"


def test_bad_rows_are_left_out_where_that_is_asked(tmp_path):
    file = labelled(tmp_path / "a.csv")
    file.write_text(file.read_text() + ",x\n")
    [reference] = expand_tasks([str(file)], "skip")
    assert str(reference) == f"table:{file},on_error=skip"
    dataset = TASKS.make(reference).load()
    assert (len(dataset), dataset.notes.malformed_sentences[0]) == (60, 1)
    with pytest.raises(DataProblem, match=r"a\.csv:62: there is no text in column 'text' \(on_err"):
        TASKS.make(str(file)).load()


def test_a_folder_is_known_by_its_files(tmp_path):
    for split in ("train", "test"):
        labelled(tmp_path / f"{split}.csv", row=split + " {i},{label}")
    task = TASKS.make(f"table:{tmp_path}")
    before = task.fingerprint
    check_task(f"table:{tmp_path}")
    (tmp_path / "test.csv").rename(tmp_path / "dev.csv")
    assert task.fingerprint != before


def test_a_small_data_set_that_was_built_keeps_its_splits(tmp_path):
    """It was drawn as the first of five folds, which its file no longer has."""
    written = tmp_path / "tense.parquet"
    lingprobe.build("ud/tense:embedded,size=300", written)
    done = lingprobe.evaluate(
        "length", f"table:{written}", probes="logreg", baselines="none", output=tmp_path / "results"
    )
    assert len(done.results) == 1


def test_an_encoder_that_fails_is_called_as_in_tables(tmp_path):
    np.save(tmp_path / "v.npy", np.ones((1, 2)))
    (tmp_path / "v.txt").write_text("something else\n")
    encoder = f"npy:{tmp_path / 'v.npy'}"
    done = lingprobe.evaluate(
        [encoder, "length"],
        labelled(tmp_path / "a.csv"),
        probes=["logreg"],
        seeds=1,
        baselines="none",
    )
    assert list(done.failures) == [encoder]
