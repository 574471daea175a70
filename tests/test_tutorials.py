"""The tutorials are run, cell by cell, and show what they print and draw now."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from test_docs import Block, assert_same

ROOT = Path(__file__).parents[1]
WRITER = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "write_tutorials.py")))
NAMES = ("dataframe", "language", "layers", "task")


def page(name):
    return (WRITER.FOLDER / f"{name}.md").read_text("utf-8")


def test_these_are_all():
    assert sorted(path.stem for path in WRITER.FOLDER.glob("*.md")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_the_cells_of_their_pages(name):
    file = WRITER.FOLDER / f"{name}.ipynb"
    assert file.read_text("utf-8") == WRITER.text_of(WRITER.notebook(page(name))), "run `make docs`"
    nbformat.validate(nbformat.read(file, as_version=4))


@pytest.mark.parametrize("name", NAMES)
def test_pages_show_what_their_cells_print_and_draw(name):
    if name in WRITER.TREEBANKS and "LINGPROBE_DATA" not in os.environ:
        pytest.skip(f"{name}: needs real treebanks, in the folder that LINGPROBE_DATA names")
    book = WRITER.notebook(page(name))
    WRITER.run(book)
    now, figures = WRITER.illustrated(name, page(name), book)
    assert_same(page(name), now, Block(f"{name}.md", 1, "text", now))
    assert figures
    for file, drawing in figures.items():
        kept = (WRITER.FOLDER / file).read_text("utf-8")
        words = [text.count("<text") for text in (kept, drawing)]
        assert words[0] == words[1], f"{file} draws something else: run `make docs`"


def test_what_cells_show_is_told_from_what_people_wrote():
    shown = (
        "```python\n1\n```\n\n```text\n1\n```\n\n![What the cell above draws](a-1.svg)\n\nMore.\n"
    )
    assert WRITER.bare(shown) == "```python\n1\n```\n\nMore.\n"
    assert [cell.source for cell in WRITER.notebook(shown).cells] == ["1", "More."]
