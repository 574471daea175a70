"""`lingprobe submit` and `lingprobe board`: results for others, and what others see."""

from __future__ import annotations

import lingprobe
from lingprobe.cli.declaration import Arguments, argument, command, option
from lingprobe.cli.options import SELECTION, TO_FOLDER, remark, show


@command(
    "submit",
    *SELECTION,
    TO_FOLDER,
    "check",
    option("name", metavar="NAME"),
    "trained_on_ud",
    "trained_on_sources",
    option("mteb", metavar="FOLDER"),
    "trust",
    heading="Results",
)
def submit(given: Arguments) -> None:
    """Write results as a folder for a board, or check such a folder.

    **Examples**

    - `lingprobe submit results/ -o mine --name mine --trained-on-ud no`
    - `lingprobe submit mine --check`
    """
    show(lingprobe.submit(**given))


@command("board", argument("folders", "FOLDER", kind=list[str]), TO_FOLDER, heading="Results")
def board(given: Arguments) -> None:
    """Write a site of models from submissions.

    **Examples**

    - `lingprobe board mine yours -o site`
    """
    files = lingprobe.board(**given)
    remark(f"{files[0]}: {len(files):,} pages")
