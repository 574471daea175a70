"""Views and figures by name: those that are built in as options ask for them, those of files, and
those of installed packages.
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.results import result, saying
from lingprobe.cli import app
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import ReferenceProblem
from lingprobe.pages.charts import FIGURES
from lingprobe.pages.views import VIEWS

EXAMPLE = Path(__file__).parent.parent / "plugin" / "src" / "lingprobe_example"
WORST, BARS = f"{EXAMPLE / 'view.py'}@worst", f"{EXAMPLE / 'figure.py'}@bars"
SHARES = {("length", "tense"): 0.5, ("mine", "tense"): 0.9, ("mine", "passive"): 0.7}


@pytest.fixture(scope="module")
def found():
    return [
        saying(result(share, encoder=name, task=f"ud/{task}:EWT"), kind="trained")
        for (name, task), share in SHARES.items()
    ]


@pytest.mark.parametrize(
    ("option", "view"),
    [({}, "scores"), ({"each": True}, "each"), ({"classes": True}, "classes")],
)
def test_an_option_is_an_entry(option, view, found):
    assert str(lingprobe.report(found, **option)) == str(lingprobe.report(found, view=view))


def test_a_view_in_a_file(found):
    page = lingprobe.report(found, view=WORST)
    [section] = page.tables[0].sections
    assert set(section.rows) == {
        ("length", "50.0", "ud/tense:EWT"),
        ("mine", "70.0", "ud/passive:EWT"),
    }
    assert "worst" in page.text("markdown")


def test_a_view_gets_what_stands_after_its_name(found, tmp_path):
    file = tmp_path / "echo.py"
    file.write_text(
        "from lingprobe.tables.table import Table, TableSection\n\n"
        "def echo(results, asked):\n"
        "    return [Table(('what',), (TableSection(asked.argument, ()),))] * len(results)\n\n"
        "def text(results, asked):\n    return 'no table'\n\n"
        "def nothing(*given):\n    pass\n"
    )
    page = lingprobe.report(found, view=f"{file}@echo:distance")
    assert [table.sections[0].heading for table in page.tables] == ["distance"] * len(found)
    with pytest.raises(UsageProblem, match="returns 'no table': give a Table, or several"):
        lingprobe.report(found, view=f"{file}@text")
    with pytest.raises(UsageProblem, match="returns None: give a Table, or several"):
        lingprobe.report(found, view=f"{file}@nothing")
    with pytest.raises(UsageProblem, match="nothing' returns None: give a matplotlib Figure"):
        lingprobe.report(found, figure=f"{file}@nothing").write(tmp_path / "nothing.svg")


def test_a_figure_in_a_file(found, tmp_path):
    lingprobe.report(found, figure=BARS).write(tmp_path / "bars.svg")
    drawn = (tmp_path / "bars.svg").read_text()
    assert {"length", "50.0", "mine", "80.0"} <= set(re.findall(">([^<]+)</text>", drawn))
    assert "<title>Means of scores.</title>" in lingprobe.report(found, figure=BARS).text("html")


def test_what_there_is_not_is_refused(found):
    with pytest.raises(ReferenceProblem, match="no view called 'clases'; did you mean 'classes'"):
        lingprobe.report(found, view="clases")
    with pytest.raises(UsageProblem, match=r"the view 'by' is of something: by:STRATUM"):
        lingprobe.report(found, view="by")
    with pytest.raises(UsageProblem, match="each and view are separate views"):
        lingprobe.report(found, each=True, view="bits")
    with pytest.raises(UsageProblem, match="no figure 'pie': choose one of dots, heat, radar"):
        lingprobe.report(found, figure="pie")


def test_packages_add_views_and_figures(found, tmp_path, monkeypatch):
    about = tmp_path / "acme_views-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-views\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[lingprobe.views]\nworst = acme_view:worst\n[lingprobe.figures]\nbars = acme_figure:bars\n"
    )
    for name in ("view", "figure"):
        text = (EXAMPLE / f"{name}.py").read_text("utf-8")
        (tmp_path / f"acme_{name}.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    assert "worst" in str(lingprobe.report(found, view="worst"))
    lingprobe.report(found, figure="bars").write(tmp_path / "bars.svg")
    for kind, name in (("views", "worst"), ("figures", "bars")):
        listed = CliRunner().invoke(app, ["list", kind], catch_exceptions=False).output
        assert re.search(rf"^{name} ", listed, re.M), listed
    for name in ("acme_view", "acme_figure"):
        sys.modules.pop(name, None)


def test_every_kind_is_listed_by_one_command():
    for kind, contents in (("views", VIEWS), ("figures", FIGURES)):
        listed = CliRunner().invoke(app, ["list", kind], catch_exceptions=False).output
        assert [line.split()[0] for line in listed.splitlines() if line[:1] != " "] == list(
            contents
        )
    same = [CliRunner().invoke(app, asked).output for asked in (["list", "encoders"], ["encoders"])]
    assert same[0] == same[1] != ""
    unknown = CliRunner().invoke(app, ["list", "pies"])
    assert "no kind 'pies': choose one of tasks, " in str(unknown.exception)
