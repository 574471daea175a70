"""`sonde report`: results that lie on disk, in the format that is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sonde.cli.options import Output

if TYPE_CHECKING:
    from sonde.core import Result

Format = Literal["terminal", "markdown", "csv", "parquet", "latex", "mteb"]


def report(
    results: Annotated[Path | None, typer.Argument(metavar="FOLDER", help="What `sonde run -o` wrote; the cache's without.")] = None,
    style: Annotated[Format, typer.Option("--format", "-f", help="How to show it.")] = "terminal",
    output: Output = None,
    classes: Annotated[bool, typer.Option("--classes", help="Counts by class in place of scores.")] = False,
) -> None:
    """Show results that were measured before.

    **Examples**

    - `sonde report results/`
    - `sonde report results/ --format csv -o results.csv`
    - `sonde report results/ --format latex`
    - `sonde report results/ --format mteb -o mteb_results/`
    - `sonde report results/ --classes`
    """
    from sonde.report import FILES, PAGES, render, write
    from sonde.report import classes as by_class

    found = _found(results)
    if classes and style not in PAGES:
        raise typer.BadParameter(f"counts by class are shown as {', '.join(PAGES)}", param_hint="--classes")
    if style == "parquet" and output is None:
        raise typer.BadParameter("parquet is not text: give a file with -o", param_hint="--format")
    if output is not None and style in FILES:
        write(found, style, output)
        return
    text = PAGES[style](by_class(found)) if classes else render(found, style)
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, "utf-8")


def _found(folder: Path | None) -> list[Result]:
    """The results in a folder, ordered by trial."""
    from sonde.core import DataProblem
    from sonde.experiment.places import Places

    places = Places.of(folder)
    found = [result for _, result in places.result_store().read()] if places.results.is_dir() else []
    if not found:
        raise DataProblem(f"no results in {places.results}: `sonde run -o {places.results}` makes some")
    return sorted(found, key=lambda result: result.trial)
