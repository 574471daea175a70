"""The commands of the command line: which there are, and where. Nothing is imported for that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lingprobe import parts

COMMANDS = {
    "Run": "measuring:run measuring:experiment measuring:embed cluster:status cluster:slurm",
    "Results": (
        "results:report results:compare relating:relate results:layers curves:curve"
        " results:predictions results:card caching:cache"
    ),
    "Data": "data:build data:inspect data:fetch judging:annotate corpora:parse",
    "Training": "",
    "Lists": "listing:tasks listing:encoders listing:suites listing:list_ listing:plugins",
}
"""Headings of the help, and modules of `cli` with their commands; parts have more."""


class Command(NamedTuple):
    """A command: its heading in the help, its name, and its place, 'module:function'."""

    heading: str
    name: str
    place: str


def commands() -> Iterator[Command]:
    """All commands, in the order of the help."""
    more = list(parts.commands())
    for heading, places in COMMANDS.items():
        own = [f"lingprobe.cli.{place}" for place in places.split()]
        for place in (*own, *(place for where, place in more if where == heading)):
            name = place.partition(":")[2].rstrip("_").replace("_", "-")
            yield Command(heading, name, place)
