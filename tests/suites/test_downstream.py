"""SentEval's downstream tasks as a suite: sixteen columns, each with its protocol and folds."""

from __future__ import annotations

import pytest

import lingprobe
from lingprobe.suites import SUITES


def test_each_task_has_the_protocol_that_sentevals_code_gives_it():
    suite = SUITES.make("senteval-downstream:downstream")
    asked = {column.task: (column.probe, str(task)) for column, task in suite.column_tasks()}
    assert len(asked) == 16
    logistic, regression = "mlp,protocol=senteval,hidden=0", "relatedness,protocol=senteval"
    assert asked["mr"] == (logistic, "text/mr:downstream,splits=senteval")
    assert asked["trec"] == (logistic, "text/trec:downstream,splits=senteval")
    assert asked["sst2"] == (logistic, "text/sst2:downstream")
    assert asked["sick-r"] == (regression, "pair/sick-r:downstream")
    assert asked["sts14"] == ("cosine", "pair/sts14:downstream")


def test_our_own_recipes_keep_the_splits_that_there_are():
    suite = SUITES.make("senteval-downstream:downstream,protocol=fast,task=on_error=skip")
    asked = {column.task: (column.probe, str(task)) for column, task in suite.column_tasks()}
    assert asked["mr"] == ("linear", "text/mr:downstream,on_error=skip")
    assert asked["sts-b"] == ("relatedness", "pair/sts-b:downstream,on_error=skip")


def test_without_a_folder_it_says_what_to_write():
    with pytest.raises(lingprobe.DataProblem, match="write senteval-downstream:FOLDER"):
        lingprobe.suite("senteval-downstream", "length")


def test_on_the_real_files(data, tmp_path, monkeypatch):
    """The columns whose files are there are measured and stand in one row."""
    for name in ("SICK", "MRPC"):
        (tmp_path / name).symlink_to(data / "downstream" / name)
    (tmp_path / "TREC").symlink_to(data / "downstream" / "SentEval-layout" / "TREC")
    how = {"seeds": 1, "baselines": "none", "output": tmp_path / "results"}
    done = lingprobe.suite(
        f"senteval-downstream:{tmp_path},protocol=fast", "bow:random,dim=10", **how
    )
    tasks = {r.trial.task.partition(":")[0] for r in done.results}
    assert tasks == {"text/trec", "pair/mrpc", "pair/sick-e", "pair/sick-r"}
    (row,) = [line for line in str(done).splitlines() if line.startswith("▸ bow:random")]
    assert len([cell for cell in row.split() if cell.replace(".", "").isdigit()]) >= 4
