"""Results become one frame, once: behind it no function takes results, nor what holds them."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "lingprobe"
ROOMS = ("analysis", "pages", "inside")
HOLDERS = {"Result", "Evaluation"}
DOORS = {"analysis/frame.py", "analysis/answers.py", "pages/views.py", "pages/view_page.py"}
"""Where results become a frame, and by what name a view is asked for."""
NOT_PORTED = {"pages/paper.py"}
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
    file.write_text("class Row:\n    mine: list[Result]")
    assert "Result" in annotated(file)
