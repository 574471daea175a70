"""`lingprobe cache`: what is stored, and what can go."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

import lingprobe
from lingprobe.api.result_options import HoldingsOptions
from lingprobe.cli.declaration import command
from lingprobe.cli.options import QuietOptions, print_remark, print_safely
from lingprobe.data.cache import format_bytes
from lingprobe.data.options import Help, Options, declare_argument, flag


@dataclass(frozen=True, kw_only=True)
class CacheAction(Options):
    """What is done with the cache."""

    action: Annotated[
        Literal["show", "clean"], Help("show or clean"), declare_argument("ACTION")
    ] = "show"
    yes: Annotated[bool, Help("with clean: remove without asking"), flag("-y")] = False


@dataclass(frozen=True, kw_only=True)
class CacheCommand(QuietOptions, HoldingsOptions, CacheAction):
    """The options of `lingprobe cache`."""


@command(CacheCommand)
def cache(options: CacheCommand) -> None:
    """Show what is stored, or remove what is not needed.

    `clean` lists vectors by encoder, and columns of large corpora. With `--yes`, it removes vectors
    of encoders without a result in the cache or in a folder of `-o`, and columns that rules of
    another version found. They are made again when they are needed. It never removes results.

    Tables mark results of an earlier version, and the next run measures them again, because that
    version did not record the code behind them.

    **Examples**

    - `lingprobe cache`
    - `lingprobe cache clean`
    - `lingprobe cache clean --yes`
    """
    if options.action == "clean":
        _clean(options.cache, options.yes)
        return
    holdings = lingprobe.holdings(options.results, cache=options.cache)
    print_safely(f"results  {holdings.results}\nvectors  {holdings.vectors}\n")
    if not holdings.files:
        print_safely("nothing is stored there yet")
        return
    print_safely(f"{'kind':<8}  {'format':<18}  {'files':>7}  {'size':>9}")
    for each in holdings.files:
        written = f"{each.format} (lingprobe {each.made})"
        print_safely(
            f"{each.kind:<8}  {written:<18}  {len(each.files):>7,}  {format_bytes(each.bytes):>9}"
        )


def _clean(cache: str | Path | None, yes: bool) -> None:
    """Show what would be removed, and remove it if the user says so."""
    would = lingprobe.clean_cache(cache)
    print_safely(str(would))
    if would.bytes and (yes or (sys.stdin.isatty() and typer.confirm("Remove them?"))):
        lingprobe.clean_cache(cache, remove=True)
        print_remark(f"{format_bytes(would.bytes)} are free again")
    elif would.bytes:
        print_remark("nothing was removed: `lingprobe cache clean --yes` removes them")
