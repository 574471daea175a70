"""`sonde fetch`: published data sets, with sizes and checksums."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sonde.cli.options import Quiet, remark


def fetch(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="What to fetch; all that can be fetched are listed without."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where to put it; where tasks look for it without.",
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="URL", help="A mirror: a folder on the web that has the files."
        ),
    ] = None,
    only: Annotated[
        str, typer.Option("--only", metavar="PATTERN", help="Some of the files, as `*/te.txt`.")
    ] = "*",
    quiet: Quiet = False,
) -> None:
    """Get a published data set: resumed where it was stopped, checked, never written over what is
    there.

    **Examples**

    - `sonde fetch`
    - `sonde fetch senteval`
    - `sonde fetch xprobe/en -o ~/data/xprobe --only '*/te.txt'`
    - `sonde fetch senteval --from https://mirror.example/SentEval/data/probing`
    """
    from tqdm.auto import tqdm

    from sonde.tasks.released import catalogue
    from sonde.tasks.released.download import Web
    from sonde.tasks.released.fetch import Wish, place_of
    from sonde.tasks.released.fetch import fetch as fetched

    if name is None:
        wide = max(map(len, catalogue.COLLECTIONS))
        for each in catalogue.COLLECTIONS.values():
            typer.echo(f"{each.name:{wide}}  {len(each.files):2} files, {each.paper}, {each.page}")
        return
    found = catalogue.collection(name)
    folder = output.expanduser() if output else place_of(found)
    if found.remark:
        remark(f"{found.name}: {found.remark}", quiet)
    with tqdm(
        desc=f"fetch {found.name}", unit="B", unit_scale=True, disable=quiet, leave=False
    ) as bar:
        for file, how, what in fetched(Wish(found, folder, only, base, Web(bar.update))):
            tqdm.write(
                f"{file}: {how}, {'/'.join(f'{n:,}' for n in what.rows)} rows, {what.size:,} bytes,"
                f" sha256 {what.sha256}"
            )
    remark(f"in {folder}", quiet)
