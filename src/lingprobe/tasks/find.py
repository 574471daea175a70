"""Which tasks there are for which languages: the treebanks under a folder, and the tasks that read
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from lingprobe.corpora.files import read_pieces
from lingprobe.corpora.languages import get_language_code, language_codes
from lingprobe.corpora.places import fetched_treebanks, find_treebank_folders, get_treebank_folder
from lingprobe.corpora.universal import list_treebanks
from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference, allow_code
from lingprobe.tasks import TASKS, make_tolerant
from lingprobe.tasks.released.supply import supply_treebanks

_MENTIONS = ("edge/coref", "edge/entities")
"""Tasks that read what few treebanks have: mentions of entities, beside the words."""
_HEAD = 1 << 18  # bytes of a file in which mentions would have begun


def get_tasks(
    languages: Sequence[str] = (), family: str = "ud", path: str | Path | None = None
) -> list[str]:
    """References of a family's tasks on every treebank of some languages found under a folder.

    languages  one or several, by ISO 639-3 ('eng', 'eng-Latn'), 639-1 ('en'), Glottocode, any name
               ('English') or treebank ('en_ewt'); all by default
    family     'ud', or a pattern of task names such as 'ud/*-num'
    path       the folder to look in (default: the folder in LINGPROBE_TREEBANKS, or the working
               folder; if these have none, the fetched treebanks)
    DataProblem if none is found.
    """
    languages = [languages] if isinstance(languages, str) else languages
    banks = list_banks(languages, path)
    if not banks:
        raise DataProblem(_silent(languages, _choose_place(path)))
    pattern = family if "/" in family else family + "/*"
    names = [name for name in TASKS if fnmatchcase(name, pattern) and not TASKS.needs(name)]
    every = [Reference(name, str(bank)) for bank in banks for name in names]
    readable = [str(reference) for reference in every if _reads(reference)]
    if names and not readable:
        raise DataProblem(
            f"no task of {family} reads the treebanks under {_choose_place(path)}: they need other"
            " files than .conllu (`lingprobe tasks` says which)"
        )
    return readable


def list_banks(languages: Sequence[str], path: str | Path | None = None) -> list[Path]:
    """The treebanks of some languages under a folder, or, where no folder is named, the fetched
    ones if there are none here.
    """
    banks = _filter_by_language(find_treebank_folders(_choose_place(path)), languages)
    return banks or ([] if path else _filter_by_language(fetched_treebanks(), languages))


def _choose_place(path: str | Path | None) -> Path:
    """The folder in which treebanks are looked for."""
    return Path(path) if path else (get_treebank_folder() or Path())


def _filter_by_language(banks: Iterable[Path], languages: Sequence[str]) -> list[Path]:
    """The treebanks that are in some languages; all where none is named."""
    return [b for b in banks if not languages or any(_speaks(b, asked) for asked in languages)]


def _silent(languages: Sequence[str], place: Path) -> str:
    """That there is no treebank of some languages, and which could be fetched."""
    known = [
        code
        for asked in languages
        for code in list_treebanks()
        if get_language_code(code) in language_codes(asked)
    ]
    more = (
        f"; or fetch {', '.join(known[:3])}, as with `lingprobe fetch ud/{known[0]}`"
        if known
        else ""
    )
    return (
        f"no treebank of {', '.join(languages) or 'any language'} under {place}: give path=, or set"
        f" LINGPROBE_TREEBANKS, to a folder of UD_* folders{more}"
    )


def _reads(reference: Reference) -> bool:
    """Whether a task finds its files in a treebank, and in them what it asks about."""
    try:
        files = [part.path for part in TASKS.make(reference).parts()]
    except DataProblem:
        return False
    heads = (next(read_pieces(file), b"")[:_HEAD] for file in files)
    return reference.name not in _MENTIONS or any(b"Entity" in head for head in heads)


def expand_tasks(tasks: Iterable[Any], on_error: str = "raise") -> list[Any]:
    """The references that some texts and patterns of the user stand for, with `on_error` for tasks
    that have the option; Task objects of others are left as they are. Treebanks that they name by
    code and that are not here are fetched.
    """
    every: list[Any] = []
    for task in tasks:
        allow_code(task)
        if isinstance(task, str | Reference):
            every += [make_tolerant(reference, on_error) for reference in TASKS.expand(task)]
        else:
            every.append(make_tolerant(task, on_error))
    supply_treebanks(every)
    # options that depend on data may need what was fetched now
    return [one for each in every for one in _expand_reference(each)]


def _expand_reference(task: Any) -> list[Any]:
    return TASKS.expand(task) if isinstance(task, Reference) else [task]


def _speaks(bank: Path, asked: str) -> bool:
    """Whether a treebank is called so, or is in that language."""
    codes = {file.name.partition("-ud-")[0].lower() for file in bank.glob("*-ud-*.conllu*")}
    names = {bank.name.lower(), bank.name.lower().removeprefix("ud_"), *codes}
    return asked.lower() in names or bool(
        language_codes(asked) & set(map(get_language_code, codes))
    )
