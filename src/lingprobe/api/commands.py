"""The commands of the command line: which there are, and where. Nothing is imported for that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

COMMANDS = {
    "Run": (
        "cli.measuring:run cli.measuring:experiment cli.measuring:embed cli.cluster:status"
        " cli.cluster:slurm inside.erase.commands:erase inside.erase.commands:intervene"
        " inside.languages.commands:transfer inside.languages.commands:morphology"
    ),
    "Results": (
        "cli.results:report cli.results:compare cli.relating:relate cli.results:layers"
        " cli.curves:curve cli.results:predictions cli.results:card cli.caching:cache"
        " inside.geometry.commands:geometry"
    ),
    "Data": (
        "cli.data:build cli.data:inspect cli.data:fetch cli.corpora:parse"
        " cli.corpora:audit_parser inside.languages.commands:languages"
    ),
    "Training": "",
    "Lists": (
        "cli.listing:tasks cli.listing:encoders cli.listing:suites cli.listing:list_"
        " cli.listing:plugins"
    ),
}
"""Headings of the help, and modules with their commands; extensions have more, under entry points
of `lingprobe.commands`.
"""


class Command(NamedTuple):
    """A command: its heading in the help, its name, and its place, 'module:function'."""

    heading: str
    name: str
    place: str


def commands() -> Iterator[Command]:
    """The core's commands, in the order of the help."""
    for heading, places in COMMANDS.items():
        for place in places.split():
            name = place.partition(":")[2].rstrip("_").replace("_", "-")
            yield Command(heading, name, f"lingprobe.{place}")
