"""Which results stand in a paper's table, and where."""

from __future__ import annotations

import numpy as np
import pytest

from lingprobe.data.core import DataProblem, Result, Trial
from lingprobe.data.labels import Classes
from lingprobe.data.references import Reference, ReferenceProblem
from lingprobe.probes import PROBES
from lingprobe.suites import SUITES
from lingprobe.suites.facts import read_paper_facts
from lingprobe.suites.suite import SuiteRequest, make_designs, select_suite_results
from lingprobe.suites.ud2019 import ud2019
from lingprobe.tasks import TASKS

MLP = PROBES.canonical("mlp,protocol=krasnowska")


def result(
    task: str = "ud/tense:bank", encoder: str = "bow:random", probe: str = MLP, seed: int = 0
) -> Result:
    gold = Classes(np.array([0, 1]), ("past", "pres"))
    return Result(
        Trial(task, encoder, "-", probe, "none", seed),
        "accuracy",
        1.0,
        0.5,
        1.0,
        0.5,
        gold,
        gold,
        {"counts": {"train": 9}},
    )


def test_a_result_stands_in_its_task_s_column():
    place = ud2019().locate_task("ud/tense:bank,fold=1/5,on_error=raise")
    assert place is not None
    assert (place.column, place.data) == (5, "ud/*:bank")
    assert place.why


@pytest.mark.parametrize(
    "task", ["ud/nothing:bank", "tree/tense:bank", "table:mine.tsv", "no reference, this"]
)
def test_other_tasks_have_no_column(task):
    assert ud2019().locate_task(task) is None


def test_folds_and_seeds_are_one_cell_and_other_data_are_another():
    results = [result(seed=s, task=f"ud/tense:bank,fold={k}/2") for s in (0, 1) for k in (1, 2)]
    entries, others = select_suite_results(ud2019(), [*results, result("ud/tense:other")])
    assert sorted((e.place.data, len(e.results)) for e in entries) == [
        ("ud/*:bank", 4),
        ("ud/*:other", 1),
    ]
    assert others == 0


def test_a_suite_that_names_its_data_shows_no_other(tmp_path, monkeypatch):
    for name in ("EWT", "PUD"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    results = [
        result(task)
        for task in (
            "ud/tense:EWT,fold=1/2",
            "ud/tense:PUD",
            "ud/tense:EWT,size=2000",
            "ud/passive:EWT,on_error=skip",
        )
    ]

    def shown(suite):
        return [
            str(e.results[0].trial.task)
            for e in select_suite_results(SUITES.make(suite), results).entries
        ]

    assert shown("ud2019:EWT") == ["ud/tense:EWT,fold=1/2", "ud/passive:EWT,on_error=skip"]
    assert shown(f"ud2019:{tmp_path}/EWT") == shown("ud2019:EWT")
    assert shown("ud2019:PUD") == ["ud/tense:PUD"]
    assert shown("ud2019:EWT,task=size=2000") == ["ud/tense:EWT,size=2000"]
    assert len(shown("ud2019")) == 4


def test_results_of_other_probes_are_counted_and_left_out():
    entries, others = select_suite_results(
        ud2019(), [result(), result(probe="logreg"), result("table:mine.tsv", probe="logreg")]
    )
    assert (len(entries), others) == (1, 1)


def test_floors_come_first_under_the_paper_s_names():
    floors = [
        result(encoder="words", probe="nb-uni-tfidf"),
        result(encoder="words", probe="majority"),
    ]
    known = [
        (
            r
            if "tfidf" not in r.trial.probe
            else result(encoder="words", probe=PROBES.canonical("nb-uni-tfidf"))
        )
        for r in floors
    ]
    entries, _ = select_suite_results(ud2019(), [result(), *known])
    assert [e.floor for e in entries] == ["Majority vote", "NB-uni-tfidf", ""]


def test_a_run_without_encoders_is_of_the_floors():
    made = make_designs(ud2019("bank"), SuiteRequest([], baselines=False))
    assert [w.encoders for w in made] == [("words",), ("length",), ("words",), ("words",)]


def test_the_oracles_of_all_columns_are_read_with_their_probes():
    made = [w for w in make_designs(ud2019("bank"), SuiteRequest(["hf:m"])) if w.baselines]
    assert {
        (str(task).partition(":")[0].removeprefix("ud/"), *w.probes)
        for w in made
        for task in w.tasks
    } == {(c.task, c.probe) for c, _ in ud2019("bank").column_tasks()}
    assert all((w.baselines, w.encoders) == (("oracle",), ()) for w in made)
    assert not any(
        w.baselines for w in make_designs(ud2019("bank"), SuiteRequest(["hf:m"], baselines=False))
    )


def test_options_of_the_tasks_go_to_all_of_them():
    first, *_ = SUITES.make("ud2019:bank,with=other,task=rules=paper,task=size=50").tasks()
    assert str(first) == "ud/sent-len:bank,with=other,rules=paper,size=50"
    with pytest.raises(ReferenceProblem, match="task=size: give an option"):
        SUITES.make("ud2019:bank,task=size")


@pytest.mark.parametrize("name", sorted(SUITES))
def test_every_suite_is_whole(name):
    suite = SUITES.make(name)
    assert len(suite.columns) == len(suite.paper.columns) > 1
    assert all(
        len(line.figures) == len(suite.columns)
        for block in suite.paper.blocks
        for line in block.lines
    )
    assert all(PROBES.make(column.probe) for column in suite.columns if column.task)
    assert SUITES.find(name).__doc__
    references = map(Reference, TASKS)
    known = {(one.name.rpartition("/")[0], suite.task_of(one)) for one in references}
    for column in (one for one in suite.columns if one.task):
        there = [(family, column.task) in known for family in suite.families]
        # each family has all of a paper's tasks, but where some are downstream tasks
        assert any(there) if "pair" in suite.families else all(there)


def test_facts_that_are_none_are_refused_with_file_and_line(tmp_path):
    file = tmp_path / "facts.tsv"
    file.write_text("# a paper\n# ? doubted\nblock\trow\tA\tB\nOne\tx\t1.0\t-\nOne\ty\t2?\t100\n")
    columns, (block,), doubts = read_paper_facts(file, "Paper, Table 1")
    assert (columns, doubts, [line.source for line in block.lines]) == (
        ("A", "B"),
        ("doubted",),
        ["Paper, Table 1, One, x", "Paper, Table 1, One, y"],
    )
    assert [f.printed for f in block.lines[1].figures] == ["2?", "100"]
    for bad, message in (
        ("One\tz\t1.0\n", "facts.tsv:6: 3 cells"),
        ("One\tz\tmany\t1\n", "facts.tsv:6: 'many'"),
        ("One\tz\t101\t1\n", "not a percentage"),
    ):
        file.write_text(
            "# a paper\n# ? doubted\nblock\trow\tA\tB\nOne\tx\t1.0\t-\nOne\ty\t2?\t100\n" + bad
        )
        with pytest.raises(DataProblem, match=message):
            read_paper_facts(file, "Paper")
