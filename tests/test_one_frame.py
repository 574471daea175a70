"""Results become one frame, once: behind it no function takes results, nor what holds them."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "lingprobe"
ROOMS = ("analysis", "pages", "inside")
HOLDERS = {"Result", "MeasuredRow", "MeasuredResults", "ResultRow", "Repeats"}
DOORS = {"analysis/frame.py", "analysis/answers.py", "pages/views.py", "pages/view_page.py"}
"""Where results become a frame, and by what name a view is asked for."""
NOT_PORTED = {
    "analysis/baselines.py",
    "analysis/comparable.py",
    "analysis/comparison.py",
    "analysis/encoder_verdicts.py",
    "analysis/opponents.py",
    "analysis/rows.py",
    "analysis/scores.py",
    "inside/languages/morphology.py",
    "inside/languages/morphology_page.py",
    "pages/__init__.py",
    "pages/breakdown.py",
    "pages/built_in_views.py",
    "pages/captions.py",
    "pages/cautions.py",
    "pages/charts.py",
    "pages/grid.py",
    "pages/layer_curves.py",
    "pages/open_files.py",
    "pages/paper.py",
    "pages/plots.py",
    "pages/scores.py",
    "pages/subsets.py",
    "pages/verdicts.py",
    "pages/web/failures.py",
    "pages/web/items.py",
    "pages/web/making.py",
    "pages/web/questions.py",
    "pages/web/report.py",
    "pages/web/study.py",
    "pages/wide.py",
}
"""Modules that still take results. The list may only shrink."""


def annotated(file: Path) -> set[str]:
    """The names in the annotations of the parameters and results of a file's functions, and of the
    fields of its classes.
    """
    nodes: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            nodes += [node.returns, *(each.annotation for each in given)]
        elif isinstance(node, ast.ClassDef):
            nodes += [each.annotation for each in node.body if isinstance(each, ast.AnnAssign)]
    inner = [part for node in nodes if node for part in ast.walk(node)]
    return {part.id for part in inner if isinstance(part, ast.Name)}


def test_results_are_taken_by_no_module_that_was_ported():
    files = [file for room in ROOMS for file in (SOURCE / room).rglob("*.py")]
    taking = {str(f.relative_to(SOURCE)) for f in files if annotated(f) & HOLDERS}
    assert taking - DOORS == NOT_PORTED


def test_what_takes_results_is_seen(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("def show(results: Sequence[Result]) -> str: ...")
    assert "Result" in annotated(file)
    file.write_text("class Row:\n    mine: list[MeasuredRow]")
    assert "MeasuredRow" in annotated(file)
