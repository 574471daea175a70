"""Sentences that a command reads: from treebanks, from text, from tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sonde.cli.options import tolerant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sonde.core import Sentence


def sentences(corpora: list[str], tasks: list[str]) -> list[Sentence]:
    """The distinct sentences of treebanks, text files and tasks."""
    from sonde.tasks import TASKS

    found = [sentence for corpus in corpora for sentence in _read(corpus)]
    found += [s for reference in tolerant(tasks, "raise") for s in TASKS.make(reference).load().sentences]
    if not found:
        raise typer.BadParameter("give a corpus (a treebank, or a file with one sentence a line) or a task with -t")
    return list(dict.fromkeys(found))


def _read(corpus: str) -> Iterator[Sentence]:
    from sonde.core import Sentence
    from sonde.sources import conllu, files, text

    place = Path(corpus).expanduser()
    if place.is_file() and files.uncompressed(place).suffix != ".conllu":
        yield from text.read(place)
    else:
        for part in files.treebank(corpus):
            yield from (Sentence(tree.words, tree.text) for tree in conllu.read(part.path))
