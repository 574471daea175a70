"""Tables in LaTeX, compiled: they fit, and whatever a name contains stands on the page."""

import re
import subprocess
from dataclasses import replace
from itertools import product

import pytest

import lingprobe
from fixtures.results import result, saying
from integration.conftest import command
from pages.test_printed_figures import TASKS as TASK_NAMES
from pages.test_printed_figures import scores

pytestmark = pytest.mark.integration

AWKWARD = (r"my_model%1&2#3~4^5\6{7}$8", "Zażółć gęślą jaźń", "a<b>c|d-e", "“quoted” ≥ 3 → 4…")
TASKS = ("ud/tense:UD_Polish-PDB", "ud/passive:UD_Polish-PDB", "ud/obj-num:UD_Polish-PDB")
KINDS = {"length": "baseline", "gold:clause": "oracle"}
PAPER = r"""\documentclass{article}
\usepackage{cmap}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\begin{document}
See Table~\ref{tab:lingprobe}.
%s
\end{document}
"""


def compiled(tex, folder, fits="", paper=PAPER):
    """The text of the page that LaTeX makes; AssertionError for an error, an undefined reference or
    a box that is too wide (`fits` is hbox, or empty for any) where it has to fit.
    """
    (folder / "paper.tex").write_text(paper % tex, "utf-8")
    for _ in range(2):  # references are known the second time
        done = subprocess.run(
            [command("pdflatex"), "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
            cwd=folder,
            capture_output=True,
            check=False,
        )
        log = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, log[-2000:]
    wrong = "undefined|Missing character" + ("" if fits is None else rf"|Overfull \\{fits}")
    assert not re.search(wrong, log), log
    text = subprocess.run(
        [command("pdftotext"), "-layout", "paper.pdf", "-"],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    return text.stdout.decode("utf-8")


PAPERS = {
    "column": r"""\documentclass[11pt,twocolumn]{article}
\usepackage[a4paper,textwidth=16cm,textheight=24.7cm,columnsep=0.6cm]{geometry}""",  # ACL
    "text": r"""\documentclass[10pt]{article}
\usepackage[letterpaper,textwidth=5.5in,textheight=9in]{geometry}""",  # NeurIPS
}


@pytest.mark.parametrize("width", PAPERS)
@pytest.mark.parametrize("kind", ["scores", "compare", "letters", "suite", "classes"])
def test_tables_of_nine_tasks_fit_a_column_and_a_page(width, kind, tmp_path):
    found = scores(9)
    pages = {
        "scores": lambda: lingprobe.report(found),
        "compare": lambda: lingprobe.compare(found).page,
        "letters": lambda: lingprobe.compare(found, pairs=True).letters,
        "suite": lambda: lingprobe.report(found, suite="ud2019"),
        "classes": lambda: lingprobe.report(found[:6], classes=True),
    }
    pages[kind]().write(tmp_path / "table.tex", width=width)
    paper = PAPERS[width] + "\n".join(PAPER.splitlines()[1:]).replace("See Table", "%% See Table")
    text = compiled((tmp_path / "table.tex").read_text("utf-8"), tmp_path, "hbox", paper)
    assert "MiniLM" in text or kind == "suite"
    if kind == "scores":
        assert text.count("±5.0") == 6 * 9
        assert {"sent-", "word-", "passive", "oracle"} <= set(text.split())


TABLE_TASKS = TASK_NAMES.split()
MANY = [f"hf:some-laboratory/a-model-{k:02}" for k in range(60)]


@pytest.mark.parametrize("width", [*PAPERS, None])
def test_a_table_of_nine_tasks_and_sixty_rows_goes_on_over_pages(width, tmp_path):
    """No page is too low for a float, and every row is there under the number of one table."""
    found = [
        saying(result(0.5 + k % 40 / 100, encoder=name, task=f"ud/{task}:EWT"), kind="trained")
        for (k, name), task in product(enumerate(MANY), TABLE_TASKS)
    ]
    page = lingprobe.report(found)
    paper = "\n".join([PAPERS.get(width, PAPERS["text"]), *PAPER.splitlines()[1:]])
    text = compiled(
        page.text("latex", width=width), tmp_path, "[hv]box" if width else "vbox", paper
    )
    log = (tmp_path / "paper.log").read_text("utf-8", "replace")
    assert "Float too large" not in log
    assert "Too many unprocessed floats" not in log
    counts = {len(re.findall(rf"model-{k:02}\b", text)) for k in range(60)}
    assert len(counts) == 1, counts  # once in each part of the columns
    assert min(counts) >= 1
    assert set(re.findall(r"Table (\d+):", text)) == {"1"}
    assert text.count("(continued)") >= 1


def test_letters_in_files_are_true_type_at_the_size_that_is_printed(tmp_path):
    lingprobe.report(scores(2)).write(tmp_path / "a.pdf", width="column")
    listed = subprocess.run(
        [command("pdffonts"), "a.pdf"], cwd=tmp_path, capture_output=True, check=True
    ).stdout.decode()
    assert "TrueType" in listed
    assert "Type 3" not in listed


def results(*encoders):
    made = []
    for (i, name), task, seed in product(enumerate(encoders), TASKS, range(3)):
        one = saying(result(0.55 + i / 20, task=task, seed=seed), kind=KINDS.get(name, "trained"))
        made.append(replace(one, trial=replace(one.trial, encoder=name)))
    return made


def test_the_wide_table_stands_on_its_page_with_caption_and_label(tmp_path):
    tex = lingprobe.report(results("length", "mine", "yours", "gold:clause")).text("latex")
    text = compiled(tex, tmp_path)
    assert "See Table 1." in text
    assert "Table 1: " in text
    for name in ("length", "mine", "oracle", "tense", "passive", "obj-num", "UD_Polish-PDB"):
        assert name in text
    assert "±" in text


def test_awkward_names_stand_as_they_are(tmp_path):
    text = compiled(lingprobe.report(results("length", *AWKWARD)).text("latex"), tmp_path)
    shown = re.sub(r"\s+", " ", text)
    for name in AWKWARD[:-1]:
        assert name in shown, name
    assert re.search("“quoted” ≥ ?3 ?→ ?4", shown)  # of mathematics the spaces are lost


def test_tables_of_one_task_compile_too(tmp_path):
    found = results("length", "mine")
    for i, page in enumerate(
        (lingprobe.report(found, each=True), lingprobe.report(found, classes=True))
    ):
        folder = tmp_path / str(i)
        folder.mkdir()
        page_text = page.text("latex")
        assert "tabular" in page_text
        compiled(r"\label{tab:lingprobe}" + page_text, folder, fits=None)
