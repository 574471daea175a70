"""What `evaluate` measures is what `sonde run` measures."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from sonde.api import evaluate
from sonde.cli import app
from sonde.report import page, rows
from sonde.sources.tables import write
from sonde.testing import FAMILIES


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "a.jsonl"
    write(FAMILIES["sentence"](), path)
    return f"table:{path}"


def test_a_control_is_beside_the_score_and_not_in_its_place(task, tmp_path):
    how = {"probes": ["logreg"], "seeds": 1, "progress": False}
    plain = evaluate("bow:random,dim=8", task, **how, output=tmp_path / "plain", cache=tmp_path)
    found = evaluate("bow:random,dim=8", task, **how, controls=["shuffled"], output=tmp_path / "both", cache=tmp_path)
    (score,) = (row.score for row in rows(plain.results))
    by_control = {row.control: row.score for row in rows(found.results)}
    assert set(by_control) == {"none", "shuffled"}
    assert by_control["none"] == score != by_control["shuffled"]
    ((cells,),) = [section.rows for section in page(found.results).sections]
    assert cells[2] == f"{score:.1f}"

    arguments = ["run", "-t", task, "-e", "bow:random,dim=8", "--probe", "logreg", "--seeds", "1", "--control", "shuffled", "-q"]
    shown = CliRunner().invoke(app, [*arguments, "-o", str(tmp_path / "cli"), "--cache", str(tmp_path), "--format", "csv"])
    assert shown.exit_code == 0, shown.output
    assert f"{score:.4f}" in shown.output


def test_what_could_not_be_measured_is_printed_with_the_table(task, tmp_path):
    def broken(sentences):
        raise RuntimeError("no vectors today")

    how = {"probes": ["logreg"], "seeds": 1, "progress": False, "cache": tmp_path}
    nothing = str(evaluate(broken, task, **how))
    assert "nothing could be measured" in nothing
    assert "failed: " in nothing
    both = str(evaluate([broken, "length"], task, **how))
    assert "length " in both
    assert "no vectors today" in both.splitlines()[-1]
