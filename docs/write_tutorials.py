"""Run the tutorials and write anew what they print and draw: `make docs`. A test holds them to it.

A tutorial is a page, docs/tutorials/NAME.md. Its Python blocks are the cells of a notebook,
NAME.ipynb, which is written beside it without outputs. Running it gives the text that stands below
each block, and the figures NAME-1.svg, NAME-2.svg, ...

A guide is a page of commands that take a real model, docs/NAME.md. Its console blocks are the cells
of a notebook beside it. A test of the pages runs them, with a small network under the model's name.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

FOLDER = Path(__file__).parent / "tutorials"
GUIDES = ("heads", "sae", "structure", "units")
CELL = re.compile(r"^```python\n(.*?)^```\n", re.M | re.S)
CONSOLE = re.compile(r"^```console\n(.*?)^```\n", re.M | re.S)
SHOWN = re.compile(
    r"(^```python\n.*?^```\n)(?:\n(?:```text\n.*?^```\n|!\[[^\]]*\]\([^)]*\)\n))+", re.M | re.S
)
WIDTH, SECONDS = "100", 600


def bare(page: str) -> str:
    """A page without what its cells print and draw."""
    return SHOWN.sub(lambda found: found[1], page)


def notebook(page: str) -> NotebookNode:
    """The cells of a page, and what is written between them."""
    cells = []
    for place, part in enumerate(CELL.split(bare(page))):
        text = part.strip("\n")
        if place % 2:
            cells.append(new_code_cell(text, id=f"cell-{place}"))
        elif text:
            cells.append(new_markdown_cell(text, id=f"text-{place}"))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def guide(page: str) -> NotebookNode:
    """The commands of a page as cells of bash, and what is written between them."""

    def cell(found: re.Match[str]) -> str:
        return f"```python\n%%bash\n{re.sub(r'^[$] ', '', found[1], flags=re.M)}```\n"

    return notebook(CONSOLE.sub(cell, page))


def text_of(book: NotebookNode) -> str:
    """A notebook as its file has it."""
    return nbformat.writes(book) + "\n"


def run(book: NotebookNode) -> None:
    """Run the cells in an empty folder, with an empty cache; their outputs are kept in the book."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "LINGPROBE_CACHE": str(Path(folder) / "cache"),
            "COLUMNS": WIDTH,
        }
        try:
            where = {"metadata": {"path": folder}}
            NotebookClient(book, timeout=SECONDS, resources=where).execute()
        finally:
            os.environ.clear()
            os.environ.update(before)


def shown(book: NotebookNode) -> Iterator[tuple[str, str]]:
    """What each cell shows: its text, without bars of progress, and its figure, '' for none."""
    for cell in book.cells:
        if cell.cell_type == "code":
            texts, figure = [], ""
            for output in cell.outputs:
                data = output.get("data", {})
                if output.output_type == "stream" and output.name == "stdout":
                    texts.append(output.text)
                elif "image/svg+xml" in data:
                    figure = data["image/svg+xml"]
                elif "text/plain" in data:
                    texts.append(data["text/plain"] + "\n")
            lines = "".join(texts).strip().splitlines()
            yield "\n".join(line.rstrip() for line in lines), figure


def illustrated(name: str, page: str, book: NotebookNode) -> tuple[str, dict[str, str]]:
    """The page with what its notebook showed, and the figures by the names of their files."""
    outputs, figures = shown(book), {}

    def cell(found: re.Match[str]) -> str:
        text, figure = next(outputs)
        after = f"\n```text\n{text}\n```\n" if text and not found[1].startswith("%%") else ""
        if figure:
            file = f"{name}-{len(figures) + 1}.svg"
            figures[file] = figure
            after += f"\n![What the cell above draws]({file})\n"
        return found[0] + after

    return CELL.sub(cell, bare(page)), figures


def main() -> None:
    """Write the notebooks of all guides, and every tutorial that can be run here."""
    for name in GUIDES:
        path = FOLDER.parent / f"{name}.md"
        path.with_suffix(".ipynb").write_text(text_of(guide(path.read_text("utf-8"))), "utf-8")
    for path in sorted(FOLDER.glob("*.md")):
        page = path.read_text("utf-8")
        book = notebook(page)
        path.with_suffix(".ipynb").write_text(text_of(book), "utf-8")
        run(book)
        page, figures = illustrated(path.stem, page, book)
        path.write_text(page, "utf-8")
        for name, drawing in figures.items():
            (FOLDER / name).write_text(drawing, "utf-8")


if __name__ == "__main__":
    main()
