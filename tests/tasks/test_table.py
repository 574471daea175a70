import pytest

from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.tables import write
from lingprobe.tasks import TASKS
from lingprobe.testing import FAMILIES, check_task, same_dataset


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_table_of_every_family_is_a_task(tmp_path, family, suffix):
    write(FAMILIES[family](), tmp_path / f"mine.{suffix}")
    reference = f"table:{tmp_path / f'mine.{suffix}'}"
    check_task(reference)
    task = TASKS.make(reference)
    assert task.name == "mine"
    assert task.metric == {"span": "micro-f1", "spans": "micro-f1", "pair": "pearson"}.get(
        family, "accuracy"
    )
    same_dataset(task.load(), FAMILIES[family]())


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
    with pytest.raises(DataProblem, match=r"2 examples that must keep .* make no 5 folds"):
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
