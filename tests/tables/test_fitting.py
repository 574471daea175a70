"""Tables in LaTeX for a column or a page: whatever way is chosen, every cell is there."""

import re
from dataclasses import replace

import pytest

from lingprobe.data.errors import UsageProblem
from lingprobe.tables.breaking import break_rows
from lingprobe.tables.fitting import fit_table, transpose_table
from lingprobe.tables.markup import format_latex
from lingprobe.tables.table import Table, TableSection

ROWS = tuple(
    (f"encoder_{name}", *(f"{100 + 10 * r + c}.5 ±{c}.25" for c in range(9)))
    for r, name in enumerate(("one", "two", "three", "four"))
)
TASKS = tuple(f"some-task-{c}" for c in range(9))
TABLE = Table(
    ("encoder", *TASKS),
    (TableSection("", ROWS, strong=frozenset({(1, 3)}), rules=frozenset({2})),),
    frozenset({"encoder"}),
    groups=("", *["first"] * 4, *["second"] * 5),
    caption="Scores.",
    label="tab:scores",
)


def plain(tex: str) -> str:
    """What stands on paper, lines of a cell joined."""
    tex = re.sub(r"\\begin\{tabular\}\[.\]\{.*?\}|(?<!\n)\\end\{tabular\}", "", tex)
    tex = re.sub(r" \\\\ (?=\S)", "~", tex).replace(r"$\pm$", "±").replace(r"\_", "_")
    return re.sub(r"\\textbf\{(.*?)\}", r"\1", tex).replace("~±", " ±").replace("~", "")


@pytest.mark.parametrize("inches", [2.2, 3.03, 4, 5.5, 7, 12])
def test_every_cell_is_there_whatever_the_width(inches):
    tex = fit_table(TABLE, inches)
    shown = plain(tex)
    for row in ROWS:
        assert row[0] in shown
        assert all(shown.count(cell) == 1 for cell in row[1:])
    assert all(name in shown for name in TASKS)
    assert re.findall(r"\\textbf\{[^&]*?(\d+\.\d)", tex) == ["112.5"]
    assert tex.count(r"\caption{Scores.}") == tex.count(r"\label{tab:scores}") == 1
    assert tex.count("{table*}") == 2 * (inches > 5)
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}")


def test_the_wider_the_plainer():
    assert r"\fontsize{9}" in fit_table(TABLE, 12)
    assert r"\medskip" not in fit_table(TABLE, 12)
    assert "[t]" not in fit_table(TABLE, 12)  # no cell has lines
    assert r"\medskip" in fit_table(TABLE, 2.2)


def test_rows_and_columns_are_exchanged_with_what_is_bold_and_groups_as_headings():
    turned = transpose_table(TABLE)
    assert turned.columns == ("", *(row[0] for row in ROWS))
    first, second = turned.sections
    assert (first.heading, second.heading) == ("first", "second")
    assert first.rows[2] == ("some-task-2", *(row[3] for row in ROWS))
    assert first.strong == {(2, 2)}
    assert second.rows[0][0] == "some-task-4"
    assert not second.strong


def test_what_cannot_be_narrower_says_so():
    words = Table(("a", "b", "c"), (TableSection("", (("x" * 40,) * 3,)),), frozenset("abc"))
    with pytest.raises(UsageProblem, match="cannot be as narrow as 25 mm: give another width"):
        fit_table(words, 1)


def test_a_table_that_is_higher_than_a_page_goes_on_in_further_floats():
    rows = tuple(
        (f"encoder-{k}", *(f"{1000 + 9 * k + c}.5 ±1.25" for c in range(9))) for k in range(100)
    )
    first = TableSection("first", rows[:80], strong=frozenset({(70, 1)}), rules=frozenset({79}))
    long = replace(TABLE, sections=(first, TableSection("second", rows[80:])))
    for tex in (fit_table(long, 5.5), fit_table(long, 3.03), format_latex(long)):
        floats = re.findall(r"\\begin\{table\*?\}.*?\\end\{table\*?\}", tex, re.DOTALL)
        assert len(floats) > 1
        assert tex.count(r"\label{tab:scores}") == tex.count(r"\caption{Scores.}") == 1
        again = r"\addtocounter{table}{-1}" + "\n" + r"\caption{(continued)}"
        assert tex.count(again) == len(floats) - 1
        assert "first (continued)" in tex
        assert re.findall(r"\\textbf\{[^&]*?(\d{4})", tex) == ["1630"]
        assert sorted(map(int, re.findall(r"\b(\d{4})\.5", tex))) == [*range(1000, 1900)]


def test_what_fits_a_page_is_one_float():
    assert break_rows(TABLE, 500, lambda row: 12) == [TABLE]
    pages = break_rows(TABLE, 60, lambda row: 12)
    assert [len(page.sections[0].rows) for page in pages] == [2, 2]
    assert [sorted(page.sections[0].strong) for page in pages] == [[(1, 3)], []]
