"""A command and a function of lingprobe: both are called `longest`."""

from pathlib import Path

import typer


def longest(file: Path) -> str:
    """The longest word of a text."""
    return max(file.read_text("utf-8").split(), key=len)


def command(file: Path) -> None:
    """Print the longest word of a text."""
    typer.echo(longest(file))
