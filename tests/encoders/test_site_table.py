"""The table of architectures, sites and verbs: each cell against hooks that `benchmarks/sites.py`
sets by hand. Here those of architectures that have something of their own; `sites.csv` has all.
"""

from __future__ import annotations

import csv
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCH = runpy.run_path(str(ROOT / "benchmarks" / "sites.py"), run_name="sites")
OWN = {
    "Bert": "norms behind sums",
    "Albert": "one block for all layers",
    "XLNet": "tokens before rows, and no modules that add up",
    "T5": "an encoder with a decoder",
    "OPT": "all tokens one after the other",
    "Falcon": "attention and MLP side by side",
    "Qwen3Moe": "experts",
    "GptOss": "a sink of attention",
    "Gemma2": "norms behind parts",
    "Mamba": "no attention",
}


def known() -> list:
    with (ROOT / "docs" / "results" / "sites.csv").open(encoding="utf-8") as file:
        return [BENCH["Cell"](**row) for row in csv.DictReader(file)]


@pytest.mark.parametrize("name", OWN)
def test_every_cell_is_what_the_table_says(name, tmp_path):
    cells = list(BENCH["measure"](name, tmp_path))
    assert len(cells) == len(BENCH["SITES"]) * len(BENCH["VERBS"])
    assert cells == [cell for cell in known() if cell.architecture == name]


def test_the_table_is_whole_and_nothing_in_it_differs():
    cells = known()
    shape = [
        (name, site, verb)
        for name in BENCH["ARCHITECTURES"]
        for site in BENCH["SITES"]
        for verb in BENCH["VERBS"]
    ]
    assert [cell[:3] for cell in cells] == shape
    assert {cell.said.partition(":")[0] for cell in cells} == {"same", "refused"}
    refused = {cell.architecture for cell in cells if cell.said != "same"}
    assert refused == {"XLNet", "Mamba"}
    assert not [c for c in cells if c.said != "same" and c.site.startswith(("pre", "post"))]


def test_the_page_is_the_table():
    page = ROOT / "benchmarks" / "results" / "sites.md"
    assert page.read_text("utf-8") == BENCH["page"](known())
