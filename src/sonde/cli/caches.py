"""`sonde cache`: what lies in the store, and results of earlier versions written anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sonde.cli.options import Cache, Quiet, remark

if TYPE_CHECKING:
    from sonde.store.migration import Migration


def cache(
    action: Annotated[
        Literal["show", "migrate"], typer.Argument(metavar="ACTION", help="show or migrate.")
    ] = "show",
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Results written with -o; the cache's without."),
    ] = None,
    cache: Cache = None,
    remove: Annotated[
        bool,
        typer.Option(
            "--remove", help="With migrate: delete vectors of earlier formats, which nothing reads."
        ),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Show what is kept, or write results of earlier versions of sonde in the format of this one.

    Results of an earlier version stay marked with it in every table, and are measured anew when
    they are asked for: that version did not record which code measured them. Its vectors cannot be
    migrated for the same reason. They are encoded anew when needed.

    **Examples**

    - `sonde cache`
    - `sonde cache migrate results/`
    - `sonde cache migrate --remove`
    """
    from sonde.experiment.places import Places
    from sonde.store.migration import migrate

    places = Places.of(folder, cache)
    if action == "show":
        _show(places.results, places.cache)
    else:
        for line in _said(migrate(places.results, places.cache, remove)):
            remark(line, quiet)


def _show(results: Path, cache: Path) -> None:
    from sonde.store.migration import holdings

    found = holdings(results, cache)
    typer.echo(f"results  {results}\nvectors  {cache / 'vectors'}\n")
    if not found:
        typer.echo("nothing is kept there yet")
        return
    typer.echo(f"{'kind':<8}  {'format':<18}  {'files':>7}  {'size':>9}")
    for each in found:
        written = f"{each.format} (sonde {each.made})"
        typer.echo(f"{each.kind:<8}  {written:<18}  {len(each.files):>7,}  {_size(each.bytes):>9}")


def _said(done: Migration) -> list[str]:
    """What was done, a line for each thing."""
    lines = []
    if done.files:
        lines.append(
            f"{done.results} results in {done.files} files are written in the format of this"
            " version, and still marked with theirs"
        )
    if done.removed:
        lines.append(f"{done.removed} files of vectors of earlier versions are deleted")
    if done.left:
        lines.append(
            f"{len(done.left)} files of vectors of earlier versions stay as they are: nothing says"
            " which code made them, so they are never read and are encoded anew when needed;"
            " `--remove` deletes them"
        )
    if done.damaged:
        lines.append(f"{len(done.damaged)} damaged files are set aside as *.damaged")
    return lines or ["everything is in the format of this version"]


def _size(count: float) -> str:
    """A number of bytes as people write it."""
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} GB"
