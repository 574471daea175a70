"""The tutorials are run, cell by cell, and show what they print and draw now: one in the kernel of a
notebook, the others in a copy of a process that has imported what they need. Guides are run, too,
with small networks under the names of their models, so that only their numbers are not compared.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_output
from safetensors.numpy import save_file

from fixtures.forked import python
from fixtures.models import transformer
from lingprobe.corpora.embedded import generate_treebank
from test_docs import NUMBER, Block, assert_same

ROOT = Path(__file__).parents[1]
WRITER = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "write_tutorials.py")))
NAMES = ("dataframe", "task")
IN_KERNEL = "dataframe"
CELLS = """
import json
from pathlib import Path

from IPython.core.displayhook import CapturingDisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

shell, shown = InteractiveShell.instance(), []
for source in json.loads(Path("cells.json").read_text("utf-8")):
    drawn = []
    shell.display_trap.hook = CapturingDisplayHook(shell=shell, outputs=drawn)
    with capture_output(display=False) as found:
        shell.run_cell(source).raise_error()
    shown.append([found.stdout, [each["data"] for each in drawn]])
Path("shown.json").write_text(json.dumps(shown), "utf-8")
"""


def page(name):
    return (WRITER.FOLDER / f"{name}.md").read_text("utf-8")


def test_these_are_all():
    assert sorted(path.stem for path in WRITER.FOLDER.glob("*.md")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_the_cells_of_their_pages(name):
    file = WRITER.FOLDER / f"{name}.ipynb"
    assert file.read_text("utf-8") == WRITER.text_of(WRITER.notebook(page(name))), "run `make docs`"
    nbformat.validate(nbformat.read(file, as_version=4))


@pytest.mark.parametrize("name", WRITER.GUIDES)
def test_notebooks_of_guides_are_the_commands_of_their_pages(name):
    file, text = guide(name)
    assert file.read_text("utf-8") == WRITER.text_of(WRITER.guide(text)), "run `make docs`"
    book = nbformat.read(file, as_version=4)
    nbformat.validate(book)
    assert "".join(f"{cell}\n" for cell in cells(book)) == re.sub(
        r"^[$] ", "", "".join(WRITER.CONSOLE.findall(text)), flags=re.M
    )
    assert f"]({file.name})" in text


def guide(name):
    file = WRITER.FOLDER.parent / f"{name}.ipynb"
    return file, file.with_suffix(".md").read_text("utf-8")


def cells(book):
    """The commands of a guide's notebook, a text for each cell."""
    code = [cell.source for cell in book.cells if cell.cell_type == "code"]
    assert all(source.startswith("%%bash\n") for source in code)
    return [source.removeprefix("%%bash\n") for source in code]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A folder with what guides name: a treebank, networks, and an autoencoder's encoder."""
    place = tmp_path_factory.mktemp("guides")
    transformer(place / "all-MiniLM-L6-v2", layers=3)
    transformer(place / "MODEL", layers=12)
    bank = place / "UD_English-EWT"
    bank.mkdir()
    sentences = "\n".join(generate_treebank(300)).split("\n\n")
    for split, part in (("train", slice(240)), ("dev", slice(240, 270)), ("test", slice(270, 300))):
        text = "\n\n".join(sentences[part]).strip() + "\n\n"
        (bank / f"en_ewt-ud-{split}.conllu").write_text(text, "utf-8")
    weight = np.random.default_rng(0).normal(size=(160, 32)).astype(np.float32)
    (place / "FOLDER").mkdir()
    tensors = {"weight": weight, "bias": weight[:, 0] / 9, "k": np.array(16)}
    save_file(tensors, place / "FOLDER" / "sae.safetensors")
    return place


@pytest.mark.parametrize("name", WRITER.GUIDES)
def test_guides_can_be_followed(name, small):
    """Every cell runs, and a view that the page shows has the same columns."""
    file, text = guide(name)
    environment = {**os.environ, "COLUMNS": "200"}
    for cell in cells(nbformat.read(file, as_version=4)):
        for command in re.sub(r"\\\n", "", cell).splitlines():
            words = subprocess.run(  # as bash takes them apart
                ["bash", "-c", rf"printf '%s\0' {command}"],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout.split("\0")[1:-1]
            quick = ("--seeds", "1", "--limit", "40") if words[0] == "run" else ()
            done = python("-m", "lingprobe", *words, *quick, folder=small, environment=environment)
            assert done.returncode == 0, f"{name}: {command}\n{done.stdout}{done.stderr}"
        shown = re.match(
            r"\n```text\n(.*?)^```\n", text.partition(command + "\n```\n")[2], re.M | re.S
        )
        if shown:
            head = shown[1].partition("\n─")[0].splitlines()[-1]
            assert {*NUMBER.sub("N", head).split()} <= {*NUMBER.sub("N", done.stdout).split()}


def run(book, folder):
    """Run the cells in a folder, as a kernel does; their outputs are kept in the book."""
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    (folder / "cells.json").write_text(json.dumps([cell.source for cell in cells]), "utf-8")
    own = {"LINGPROBE_CACHE": str(folder / "cache")}
    environment = {**os.environ, **own, "COLUMNS": WRITER.WIDTH}
    done = python("-c", CELLS, folder=folder, environment=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = json.loads((folder / "shown.json").read_text("utf-8"))
    for cell, (text, drawn) in zip(cells, shown, strict=True):
        cell.outputs = [new_output("stream", name="stdout", text=text)]
        cell.outputs += [new_output("display_data", data=data) for data in drawn]


@pytest.mark.parametrize("name", NAMES)
def test_pages_show_what_their_cells_print_and_draw(name, tmp_path, whole_treebank):
    book = WRITER.notebook(page(name))
    if name == IN_KERNEL:
        WRITER.run(book)
    else:
        run(book, tmp_path)
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
