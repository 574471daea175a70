"""Figures of the pages are those of the results that are kept beside them."""

import re
import runpy
from pathlib import Path

import pytest

from lingprobe.tables.drawing import save_figure

DOCS = Path(__file__).parents[1] / "docs"
FIGURES = runpy.run_path(str(DOCS / "write_figures.py"))["FIGURES"]


def said(file: Path) -> list[str]:
    """What a figure says, whatever version of matplotlib laid it out."""
    return re.findall(r"(?<=>)[^<>]+(?=</(?:text|title)>)", file.read_text("utf-8"))


@pytest.mark.parametrize(
    "name",
    [
        "trained",
        "trained-widths",
        "relate-bert",
        "tense-layers",
        "polish-features",
        "reviews-layers",
        "tuned",
        "languages-map",
        "languages-tasks",
        "transfer",
        "erase",
    ],
)
def test_stored_figures_are_what_is_drawn(name, tmp_path):
    save_figure(FIGURES[f"figures/{name}.svg"], tmp_path / "a.svg")
    drawn = said(tmp_path / "a.svg")
    assert len(drawn) > 20
    assert drawn == said(DOCS / "figures" / f"{name}.svg"), "run `python docs/write_figures.py`"


def test_every_kept_figure_is_there():
    assert all((DOCS / name).is_file() for name in FIGURES)
