"""A view is a declaration: of a frame it makes tables, files and figures, wherever it is written."""

from __future__ import annotations

import csv
import io
import re

import pytest

import lingprobe
from fixtures.results import results
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.statistics import MeanScore
from lingprobe.data.core import DataProblem
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_figures import HeatFigure
from lingprobe.pages.view_page import (
    FrameView,
    ListTable,
    MatrixTable,
    ViewSection,
    show_frame,
)
from lingprobe.pages.views import ViewArguments
from lingprobe.tables.heat import HeatLook

SENTENCES = """
{% macro title(row) %}Of {{ row.probe }}{% endmacro %}
{% macro lead(rows) %}
{% for encoder, cells in rows|group("encoder") %}
{{ encoder }} has
{{ cells|length }} cells.

{% endfor %}
{% endmacro %}
{% macro notes(rows, shown, is_last) %}{{ remark }}{{ " The last." if is_last }}{% endmacro %}
{% macro score(row) %}{{ row.score|number }}{% endmacro %}
{% macro encoder(row) %}{{ row.encoder }}{% endmacro %}
{% macro missing(row) %}{{ row.nothing }}{% endmacro %}
"""
FIELDS = ("task", "encoder", "right=score")
MATRIX = MatrixTable(
    rows="encoder",
    columns="task",
    tables=("probe",),
    corner="who",
    strong="score > 80",
    sections=(
        ViewSection("{{ role }}", "score", "{{ rows|length }} rows", when="role == 'trained'"),
    ),
    parts=("role",),
)
FIGURE = HeatFigure(
    rows="encoder",
    columns="task",
    maps=("probe",),
    look=HeatLook("Of {{ rows|length }} scores."),
    title="title",
    text="score",
    share="score / 100",
    strong="false",
)


@pytest.fixture
def view(tmp_path):
    path = tmp_path / "own.j2"
    path.write_text(SENTENCES)

    def make(**changed) -> FrameView:
        usual = {
            "name": "own",
            "about": "What I want to see.",
            "keys": ("task", "encoder"),
            "where": {"control": "none"},
            "statistics": (MeanScore(),),
            "tables": (MATRIX,),
            "fields": FIELDS,
            "sentences": path,
            "names": label_encoders,
            "figure": FIGURE,
        }
        return FrameView(**{**usual, **changed})

    return make


def test_a_matrix_has_a_row_and_a_column_for_each_value(view):
    made = [r for r in results() if (r.trial.encoder, r.trial.task[:6]) != ("yours", "ud/pas")]
    (table,) = show_frame(view(), ResultFrame.of(made), {"remark": "A remark."}).tables
    assert table.columns == ("who", "ud/tense:EWT-bank", "ud/passive:EWT-bank")
    (section,) = table.sections
    assert section.rows == (("mine", "90.0", "90.0"), ("yours", "70.0", "–"))
    assert section.strong == {(0, 1), (0, 2)}
    assert (section.heading, section.line) == ("trained", "3 rows")
    assert table.title == "Of mlp"
    assert table.lead[1:3] == ("mine has 2 cells.", "yours has 1 cells.")
    assert table.notes == ("A remark. The last.",)


def test_rows_that_stand_first_are_shown_first_and_files_keep_their_order(view):
    page = show_frame(view(first="role == 'trained'"), ResultFrame.of(results()), {"remark": ""})
    assert page.tables[0].lead[0] == "mine has 2 cells."
    lines = list(csv.DictReader(io.StringIO(page.text("csv"))))
    assert list(lines[0]) == ["task", "encoder", "right"]
    assert lines[0] == {"task": "ud/tense:EWT-bank", "encoder": "length", "right": "55.0000"}
    assert len(page.content) == len(lines) == 8
    assert page.content[0].right == pytest.approx(55)


def test_a_list_has_a_line_for_each_row_that_is_asked_for(view):
    table = ListTable((("who", "encoder"), ("right", "score")), "score > 80", ("task",), ("who",))
    (made,) = show_frame(view(tables=(table,)), ResultFrame.of(results()), {"remark": ""}).tables
    assert [section.heading for section in made.sections] == [
        "ud/tense:EWT-bank",
        "ud/passive:EWT-bank",
    ]
    assert made.sections[0].rows == (("mine", "90.0"), ("gold:clause", "100.0"))


def test_a_figure_is_drawn_of_the_same_rows(view, tmp_path):
    page = show_frame(view(), ResultFrame.of(results()), {"remark": ""})
    page.write(tmp_path / "own.svg")
    drawn = (tmp_path / "own.svg").read_text()
    assert {"90.0", "yours", "Of mlp"} <= set(re.findall(">([^<]+)</text>", drawn))
    assert "Of 8 scores." in drawn


def test_a_column_that_there_is_not_is_no_empty_text(view):
    from jinja2 import UndefinedError

    table = ListTable((("who", "missing"),), "true", ("task",), ())
    with pytest.raises(UndefinedError, match="nothing"):
        str(show_frame(view(tables=(table,)), ResultFrame.of(results()), {"remark": ""}))


def test_a_view_in_a_file_is_shown_as_those_that_are_built_in(view, tmp_path):
    (tmp_path / "own.j2").write_text(SENTENCES.replace("{{ remark }}", "Mine."))
    file = tmp_path / "own.py"
    file.write_text(
        "from pathlib import Path\n"
        "from lingprobe.analysis.statistics import MeanScore\n"
        "from lingprobe.pages.captions import label_encoders\n"
        "from lingprobe.pages.view_page import MatrixTable, FrameView, ViewSection\n"
        "OWN = FrameView(name='own', about='Mine.', keys=('task', 'encoder'),\n"
        "    where={'control': 'none'}, statistics=(MeanScore(),),\n"
        "    tables=(MatrixTable('encoder', 'task', ('probe',), (ViewSection('', 'score'),)),),\n"
        "    fields=('encoder', 'score'), names=label_encoders,\n"
        "    sentences=Path(__file__).with_name('own.j2'))\n"
    )
    page = lingprobe.report(results(), view=f"{file}@OWN")
    assert "mine has 2 cells." in str(page)
    assert page.text("csv").startswith("encoder,score\n")


def double_rows(shown: ResultFrame) -> ResultFrame:
    return shown.append(shown.with_columns({"probe": ["twice"] * len(shown)}))


def test_rows_are_made_of_rows_and_nothing_is_said_to_be_so(view):
    frame, facts = ResultFrame.of(results()), {"remark": ""}
    made = view(expand=double_rows, listed="probe != 'twice'")
    page = show_frame(made, frame, facts)
    assert len(page.tables) == 2 * len(show_frame(view(), frame, facts).tables)
    assert len(page.content) == len(show_frame(view(), frame, facts).content)
    with pytest.raises(DataProblem, match="measure some"):
        show_frame(view(listed="score > 200", nothing="measure some"), frame, facts)


def test_a_view_has_variants_by_what_stands_after_its_name(view):
    made = view(variants={"few": view(listed="score > 80")})
    made_of = [len(made(results(), ViewArguments(argument=name)).content) for name in ("", "few")]
    assert made_of[0] > made_of[1] > 0
