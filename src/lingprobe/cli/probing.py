"""`lingprobe probe`: probes to keep, and what they say of new texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import lingprobe
from lingprobe.api.probe_options import KeepOptions, ScoreFileOptions, StoredProbeOptions
from lingprobe.cli.declaration import command
from lingprobe.cli.options import QuietOptions, print_remark, print_safely
from lingprobe.data.cache import check_file_ending, write_text
from lingprobe.data.options import Help, declare_argument, flag

_SHOWN = 10  # rows that could not be scored


@dataclass(frozen=True, kw_only=True)
class KeepCommand(QuietOptions, KeepOptions):
    """The options of `lingprobe probe keep`."""


@command(KeepCommand)
def keep(options: KeepCommand) -> None:
    """Keep a trained probe of a run: a folder with its weights, its facts and a card.

    The probe is trained again on the cached vectors, and must answer as it did in the run. Of
    several layers it is the one that is best on dev.

    **Examples**

    - `lingprobe probe keep results/ -o harmful/`
    - `lingprobe probe keep results/ -t mine -e 'hf:*' --layer 14 -o harmful/`
    """
    probe = lingprobe.keep_probe(**options.select(KeepOptions))
    print_remark(f"{options.output}: {probe!r}", options.quiet)


@dataclass(frozen=True, kw_only=True)
class ScoreCommand(QuietOptions, ScoreFileOptions):
    """The options of `lingprobe probe score`."""


@command(ScoreCommand)
def score(options: ScoreCommand) -> None:
    """Score the texts of a table with a probe that was kept, and write a CSV of probabilities.

    **Examples**

    - `lingprobe probe score harmful/ texts.csv -o scores.csv`
    - `lingprobe probe score harmful/ texts.jsonl --text question --fpr 0.01`
    """
    done = lingprobe.score_file(**options.select(ScoreFileOptions))
    for problem in done.problems[:_SHOWN]:
        print_remark(f"not scored: {problem}")
    more = f", {len(done.problems):,} not scored" if done.problems else ""
    print_remark(f"{done.path}: {done.scored:,} texts{more}", options.quiet)


@dataclass(frozen=True, kw_only=True)
class TraceCommand(QuietOptions, StoredProbeOptions):
    """The options of `lingprobe probe trace`."""

    text: Annotated[str, Help("the text"), declare_argument("TEXT")]
    output: Annotated[
        Path | None,
        Help("an HTML file to write, with coloured tokens, instead of printing"),
        flag("-o", metavar="FILE"),
    ] = None


@command(TraceCommand)
def trace(options: TraceCommand) -> None:
    """Show what a probe that was kept says of each token of a text.

    **Examples**

    - `lingprobe probe trace harmful/ 'How do I bake bread?'`
    - `lingprobe probe trace harmful/ 'How do I bake bread?' -o bread.html`
    """
    check_file_ending(options.output, ".html")
    found = lingprobe.load_probe(**options.select(StoredProbeOptions)).trace(options.text)
    if options.output is None:
        print_safely(str(found))
        return
    page = f'<!doctype html><meta charset="utf-8"><title>{found!r}</title>\n{found.html}\n'
    write_text(options.output, page)
    print_remark(f"{options.output}: {len(found):,} tokens", options.quiet)
