"""`sonde layers`: where in an encoder each task is solved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sonde.cli.options import EncoderPatterns, Folder, Output, TaskPatterns, Which, put, remark

if TYPE_CHECKING:
    from sonde.analysis.layers import Depth


def layers(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    style: Annotated[
        Literal["terminal", "markdown", "latex", "html", "csv"],
        typer.Option("--format", "-f", help="How to show it."),
    ] = "terminal",
    output: Output = None,
) -> None:
    """Show where in an encoder each task is solved: each layer alone, growing mixes, what each
    layer adds, weights.

    It shows what `sonde run --read layers --read cumulative` measured. A figure is drawn where `-o`
    names a .png, .svg or .pdf file (with matplotlib: `pip install 'sonde[plots]'`), beside the
    tables; `--format html` has both on one page.

    **Examples**

    - `sonde layers results/`
    - `sonde layers results/ -t 'edge/*' -o layers.png`
    - `sonde layers results/ --format html -o layers.html`
    - `sonde layers results/ --format csv -o layers.csv`
    """
    from sonde.analysis.layers import depths
    from sonde.cli.show import found_in
    from sonde.core import DataProblem
    from sonde.pages.plots import is_figure, layers_figure

    drawn = is_figure(output)
    found = depths(found_in(results, which, tasks=task, encoders=encoder))
    if not found:
        raise DataProblem(
            "no task was measured on several layers of one encoder with one probe: `sonde run -e"
            " hf:NAME,layers=all,pool=none --probe span --read layers --read cumulative` measures"
            " them"
        )
    _tables(found, style, None if drawn else output)
    if output is not None:
        if drawn:
            layers_figure(found, output)
        remark(f"{output}: {len(found)} task{'s' * (len(found) > 1)}")


def _tables(found: list[Depth], style: str, output: Path | None) -> None:
    from sonde.pages import PAGES
    from sonde.pages.layer_table import by_layer, layer_rows, overview
    from sonde.pages.plots import layers_svg
    from sonde.pages.records import csv
    from sonde.tables.html import document
    from sonde.tables.terminal import show

    tables = [overview(found), *map(by_layer, found)]
    if style == "terminal" and output is None:
        for table in tables:
            show(table)
        return
    if style == "html":
        text = document(tables, layers_svg(found))
    else:
        text = csv(layer_rows(found)) if style == "csv" else "\n".join(map(PAGES[style], tables))
    put(text, output)
