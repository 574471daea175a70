"""`lingprobe build`, `inspect`, `fetch`: data, made."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TextIO

import typer

import lingprobe
from lingprobe.api.data_options import BuildOptions, FetchOptions, InspectOptions
from lingprobe.cli.declaration import command
from lingprobe.cli.options import (
    QuietOptions,
    ScorePageOptions,
    print_page,
    print_remark,
)


@command(BuildOptions)
def build(options: BuildOptions) -> None:
    """Write the data set of a task to a file: Parquet, JSON lines, SentEval's TSV, or
    one file per split, as jiant reads them; or those of several to a folder for the hub.

    Standard error says what is wrong with it: repeats, forms and sentences in several splits, few
    or uneven examples.

    **Examples**

    - `lingprobe build ud/tense:UD_English-EWT -o tense.parquet`
    - `lingprobe build ud/tense:UD_English-EWT -o tense.jsonl --audit tense.md`
    - `lingprobe build ud/tense:UD_English-EWT -o tense.txt --format senteval`
    - `lingprobe build edge/dep:UD_English-EWT -o edges.json --format jiant`
    - `lingprobe build ud/tense:en_ewt ud/passive:en_ewt --hub -o probes`
    """
    built = lingprobe.build(**options.select(BuildOptions))
    counts = ", ".join(f"{key} {value:,}" for key, value in built.counts.items())
    print_remark(f"{built.path}: {counts}")
    for name, audit in built.audits.items():
        if len(built.audits) > 1 and audit.problems:
            print_remark(f"{name}:")
        for problem in audit.problems:
            print_remark(f"- {problem}")


@dataclass(frozen=True, kw_only=True)
class InspectCommand(InspectOptions, ScorePageOptions):
    """The options of `lingprobe inspect`."""


@command(InspectCommand)
def inspect(options: InspectCommand) -> None:
    """Audit the data set of a task: class balance, scores of simple rules, repeated sentences,
    overlap of splits, and examples to read.

    A published data set is read as it is, even if splits are missing.

    **Examples**

    - `lingprobe inspect ud/tense:UD_English-EWT`
    - `lingprobe inspect ud/obj-num:UD_Polish-PDB --sample 50 --on-error skip`
    - `lingprobe inspect xprobe/tree-depth:xprobe/en`
    """
    print_page(lingprobe.inspect(**options.select(InspectOptions)), options.style)


@dataclass(frozen=True, kw_only=True)
class FetchCommand(QuietOptions, FetchOptions):
    """The options of `lingprobe fetch`."""


@command(FetchCommand)
def fetch(options: FetchCommand) -> None:
    """Download a published data set, or a treebank of Universal Dependencies. Downloads resume,
    checksums are verified, and no file is overwritten.

    To download from a mirror instead of the publishers, set $LINGPROBE_MIRROR to the URL of a web
    server with the folder `data` of a cache.

    **Examples**

    - `lingprobe fetch`
    - `lingprobe fetch ud/en_ewt`
    - `lingprobe fetch ud/pl_pdb@2.16`
    - `lingprobe fetch 'ud/pl_*'`
    - `lingprobe fetch senteval`
    - `lingprobe fetch xprobe/en -o ~/data/xprobe --only '*/te.txt'`
    - `lingprobe fetch senteval --from https://mirror.example/SentEval/data/probing`
    """
    name, quiet = options.name, options.quiet
    if not name or "*" in name:
        _list(lingprobe.collections(name or None))
        if not name:
            typer.echo("ud/en_ewt and so on: treebanks; `lingprobe fetch 'ud/*'` lists them")
        return
    done = lingprobe.fetch(
        **options.select(FetchOptions),
        progress=not quiet,
        before=lambda about: None if quiet else _say(about, sys.stderr),
        each=lambda got: _say(str(got)),
    )
    print_remark(f"in {done.folder}{'; ' if done.remark else ''}{done.remark}", quiet)


def _list(known: list[lingprobe.Collection]) -> None:
    """Print what can be fetched."""
    wide = max((len(each.name) for each in known), default=0)
    for each in known:
        many = f"{len(each.files):2} files, " if each.files else ""
        unseen = "" if each.reached else " (download not tested)"
        typer.echo(f"{each.name:{wide}}  {many}{each.paper}, {each.terms}, {each.page}{unseen}")


def _say(line: str, stream: TextIO | None = None) -> None:
    """Print a line above a bar that is being drawn."""
    from tqdm.auto import tqdm

    tqdm.write(line, stream)
