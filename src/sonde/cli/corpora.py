"""Sentences that a command reads: from treebanks, from text, from tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sonde.cli.options import tolerant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sonde.core import Sentence


def sentences(corpora: list[str], tasks: list[str], cache: Path) -> list[Sentence]:
    """The distinct sentences of treebanks, text files and tasks, in all the folds that a run would
    make of these.
    """
    from sonde.core import DataProblem
    from sonde.experiment.data import load
    from sonde.experiment.plan import tasks_of

    found = [sentence for corpus in corpora for sentence in _read(corpus)]
    made, refused = tasks_of(tolerant(tasks, "raise"), cache)
    if refused:
        raise DataProblem("; ".join(refused.values()))
    found += [s for task in made.values() for s in load(task).sentences]
    if not found:
        raise typer.BadParameter(
            "give a corpus (a treebank, or a file with one sentence a line) or a task with -t"
        )
    return list(dict.fromkeys(found))


def _read(corpus: str) -> Iterator[Sentence]:
    from sonde.core import Sentence
    from sonde.corpora import conllu, files, text

    place = Path(corpus).expanduser()
    if place.is_file() and files.uncompressed(place).suffix != ".conllu":
        yield from text.read(place)
    else:
        for part in files.treebank(corpus):
            yield from (Sentence(tree.words, tree.text) for tree in conllu.read(part.path))
