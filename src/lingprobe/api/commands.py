"""The commands of the command line: which there are, and where. Nothing is imported for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

COMMANDS_BY_HEADING: Mapping[str, Mapping[str, str]] = {
    "Run": {
        "run": "cli.measuring:run",
        "experiment": "cli.measuring:experiment",
        "embed": "cli.measuring:embed",
        "erase": "inside.erase.commands:erase",
        "transfer": "inside.languages.commands:transfer",
        "probe keep": "cli.probing:keep",
        "probe score": "cli.probing:score",
        "probe trace": "cli.probing:trace",
        "inside intervene": "inside.erase.commands:intervene",
        "inside locate": "inside.locate.commands:locate",
        "inside heads": "inside.heads.commands:heads",
        "inside geometry": "inside.geometry.commands:geometry",
        "inside morphology": "inside.languages.commands:morphology",
        "cluster status": "cli.cluster:status",
        "cluster slurm": "cli.cluster:slurm",
    },
    "Results": {
        "report": "cli.results:report",
        "compare": "cli.results:compare",
        "layers": "cli.results:layers",
        "relate": "cli.relating:relate",
        "results curve": "cli.curves:curve",
        "results predictions": "cli.results:predictions",
        "publish card": "cli.results:card",
        "cache": "cli.caching:cache",
    },
    "Data": {
        "build": "cli.data:build",
        "inspect": "cli.data:inspect",
        "fetch": "cli.data:fetch",
        "parse": "cli.corpora:parse",
        "data languages": "inside.languages.commands:languages",
        "data audit-parser": "cli.corpora:audit_parser",
    },
    "Training": {},
    "Lists": {
        "tasks": "cli.listing:tasks",
        "encoders": "cli.listing:encoders",
        "list": "cli.listing:list_",
    },
}
"""Headings of the help with their commands, a group and a name or a name alone, and where each is;
extensions have more, under entry points of `lingprobe.commands` (`train.encoder` in a group).
"""
GROUP_DESCRIPTIONS: Mapping[str, str] = {
    "inside": "Look into models: change their states, compare their layers, ask about words.",
    "probe": "Keep a trained probe, score texts with it, and look at their tokens.",
    "cluster": "Run on many machines: what is done, and scripts for SLURM.",
    "results": "Look further into results: training curves, predictions, claims of papers.",
    "publish": "Share results: cards of models, submissions, a board.",
    "data": "Make and check data: what treebanks support, parsers, generated sentences, sheets.",
    "train": "Train sentence encoders, parsers and word vectors.",
}
"""What the commands of a group are for."""


class CommandEntry(NamedTuple):
    """A command: its heading in the help, its name, and its place, 'module:function'."""

    heading: str
    name: str
    place: str


def list_core_commands() -> Iterator[CommandEntry]:
    """The core's commands, in the order of the help."""
    for heading, places in COMMANDS_BY_HEADING.items():
        for name, place in places.items():
            yield CommandEntry(heading, name, f"lingprobe.{place}")
