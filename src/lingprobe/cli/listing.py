"""`lingprobe tasks`, `encoders` and `list`: what there is."""

from __future__ import annotations

import shutil
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import lingprobe
from lingprobe.api.data_options import ListOptions, PatternOptions, TaskFilter
from lingprobe.cli.declaration import command
from lingprobe.data.options import Help, flag

if TYPE_CHECKING:
    from lingprobe.data.listing import Entry
    from lingprobe.suites.encoder_rows import EncoderRow
    from lingprobe.tasks.about import TaskDescription

# letters of an option with its kind and default, beyond which what it means goes below it
_WRITTEN = 44
_FIRST = 6  # names that are shown of a kind

_PLUGINS = "plugins"
_HOW = {
    "file": "as published",
    "hub": "as published",
    "trained": "made anew",
    "baseline": "baseline",
}
"""Where what a row of a paper's table needs comes from."""


@dataclass(frozen=True, kw_only=True)
class TasksCommand(TaskFilter):
    """The options of `lingprobe tasks`."""

    bibtex: Annotated[bool, Help("print the BibTeX entries of their papers instead")] = False


@command(TasksCommand)
def tasks(options: TasksCommand) -> None:
    """List the tasks with their questions, or show one with its options and data.

    **Examples**: `lingprobe tasks`, `lingprobe tasks ud/tense`, `lingprobe tasks mine.py@my_task`,
    `lingprobe tasks --language pl --unit span`, `lingprobe tasks 'senteval/*' --bibtex`
    """
    name, language = options.pattern, options.language
    entries = lingprobe.available("tasks", **options.select(TaskFilter))
    if options.bibtex:
        typer.echo(lingprobe.bibtex([entry.name for entry in entries]))
    elif not entries:
        typer.echo("no task matches all of this")
    else:
        # tasks of a family share their options
        _list(entries, name is not None, options=False)
        if here := _treebanks(language):
            typer.echo(
                f"treebanks here: {', '.join(here)} (`lingprobe run -t ud/tense -l {language}`)"
            )
        if name is not None and len(entries) == 1 and (known := lingprobe.about(name)):
            _tell(_task_facts(known))


def _treebanks(language: str) -> list[str]:
    """The treebanks in a language that are here, by name; none where no language is asked for."""
    try:
        every = lingprobe.get_tasks(language, "ud/tense") if language else []
    except lingprobe.DataProblem:
        return []
    return [Path(lingprobe.Reference.parse(each).argument or "").name for each in every]


def _task_facts(about: TaskDescription) -> list[tuple[str, str]]:
    """What is known of a task, line by line."""
    languages = ", ".join(about.languages) or "any"
    return [
        ("a label is about", about.unit),
        ("labels", about.labels),
        ("data", about.reads),
        ("examples", about.size),
        ("languages", languages),
        ("papers", ", ".join(about.years) or "none"),
        ("licence of the data", about.licence),
    ]


@dataclass(frozen=True, kw_only=True)
class EncodersCommand(PatternOptions):
    """The options of `lingprobe encoders`."""

    paper: Annotated[
        str,
        Help("list the rows of a paper's table, such as `tenney2019`, with the encoder for each"),
        flag(metavar="PAPER"),
    ] = ""


@command(EncodersCommand)
def encoders(options: EncodersCommand) -> None:
    """List the encoders and their options, or those of a paper's table.

    **Examples**: `lingprobe encoders`, `lingprobe encoders hf`, `lingprobe encoders --paper
    tenney2019`
    """
    if not (paper := options.paper):
        _list(lingprobe.available("encoders", options.pattern), options.pattern is not None)
        return
    from lingprobe.suites.encoder_rows import count_measurable_rows

    rows = lingprobe.encoder_rows(paper)
    _tell([(f"{row.block}: {row.row}", _describe_row(row)) for row in rows])
    typer.echo(f"{count_measurable_rows(paper)}; on which data: `lingprobe list suites {paper}`")


def _describe_row(row: EncoderRow) -> str:
    """What makes a row of a paper's table."""
    if not row.measurable:
        return f"not today: {row.note}"
    layers = f"--layers {row.read}" if row.read else ""
    had = ", ".join(filter(None, [row.needs, row.licence]))
    needs = f"({_HOW.get(row.how, row.how)}: {had})" if had else ""
    return " ".join(filter(None, [f"-e {row.reference}", layers, needs, row.note]))


@command(ListOptions)
def list_(options: ListOptions) -> None:
    """List what there is of a kind, or the kinds: probes, controls, metrics, suites (papers' tables
    for `lingprobe run --suite`), parsers for `lingprobe parse`, languages for `lingprobe data
    generate`, objectives for `lingprobe train encoder`, views and figures of `lingprobe report`,
    checks of `lingprobe inspect`, plugins that are installed, and so on.

    **Examples**

    - `lingprobe list`
    - `lingprobe list probes`
    - `lingprobe list probes mlp`
    - `lingprobe list suites conneau2018`
    - `lingprobe list plugins`
    - `lingprobe list parsers udpipe`
    - `lingprobe list objectives mine.py@order`
    - `lingprobe list tasks 'ud/*'`
    """
    if options.kind == _PLUGINS:
        _list_plugins()
    elif options.kind:
        entries = lingprobe.available(options.kind, options.pattern)
        _list(entries, options.pattern is not None)
        if options.kind == "suites" and options.pattern is not None and len(entries) == 1:
            _tell_rows(entries[0].name)
    else:
        _list_kinds()


def _tell_rows(paper: str) -> None:
    """Print how many rows of a paper's table can be measured."""
    from lingprobe.suites.encoder_rows import count_measurable_rows

    if told := count_measurable_rows(paper):
        typer.echo(f"  {told}; `lingprobe encoders --paper {paper}` lists them")


def _list_kinds() -> None:
    """Print the kinds, each with the first names."""
    from lingprobe.api.listing import CONTENTS_PLACES, get_contents

    wide = max(map(len, CONTENTS_PLACES))
    for kind in CONTENTS_PLACES:
        contents = get_contents(kind)
        listed = [*contents.places()]
        first = listed[:_FIRST]
        more = len(listed) - len(first)
        typer.echo(f"{kind:{wide}}  {', '.join(first)}{f' and {more} more' if more else ''}")


def _list_plugins() -> None:
    """Print installed plugins, with what cannot be used and why."""
    every = lingprobe.plugins()
    if not every:
        typer.echo("no plugins are installed")
    for each in every:
        why = f"  (cannot be used: {each.problem})" if each.problem else ""
        typer.echo(
            f"{each.distribution} {each.version}  {each.kind} {each.name}  {each.place}{why}"
        )


def _list(entries: list[Entry], named: bool, options: bool = True) -> None:
    """Print one entry in full, or several a line each, with their options below."""
    if named and len(entries) == 1:
        _print_entry(entries[0])
        return
    wide = max(len(entry.name) for entry in entries)
    for entry in entries:
        if entry.problem:
            typer.echo(f"{entry.name:{wide}}  (cannot be used: {entry.problem})")
            continue
        typer.echo(f"{entry.name:{wide}}  {entry.summary}")
        if entry.options and options:
            written = "  ".join(option.written for option in entry.options)
            typer.echo(" " * wide + "  " + typer.style(written, dim=True))


def _print_entry(entry: Entry) -> None:
    """Print what an entry is, and below it the options and oracles with what each means."""
    typer.echo(f"{entry.name}  {entry.text}")
    _tell([(option.written, option.meaning) for option in entry.options])
    _tell([(f"gold:{name}", f"an oracle: {holds}") for name, holds in entry.oracles.items()])


def _tell(lines: list[tuple[str, str]]) -> None:
    """Print what is written below each other, what it means beside it."""
    wide = min(max((len(written) for written, _ in lines), default=0), _WRITTEN) + 4
    room = max(shutil.get_terminal_size((120, 24)).columns - wide, 40)
    for written, meaning in lines:
        folded = textwrap.wrap(meaning, room)
        beside = bool(folded) and len(written) + 4 <= wide
        typer.echo(
            f"  {written:{wide - 2}}{typer.style(folded[0], dim=True)}"
            if beside
            else f"  {written}"
        )
        for line in folded[beside:]:
            typer.echo(" " * wide + typer.style(line, dim=True))
