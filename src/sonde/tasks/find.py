"""Which tasks there are for which languages: the treebanks under a folder, and the tasks that read
them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from sonde.core import DataProblem
from sonde.references import Reference
from sonde.tasks import TASKS, tolerant

LANGUAGES = {
    "af": ("afr", "Afrikaans"), "ar": ("arb", "Arabic"), "be": ("bel", "Belarusian"),
    "bg": ("bul", "Bulgarian"),
    "ca": ("cat", "Catalan"), "cs": ("ces", "Czech"), "cy": ("cym", "Welsh"), "da": ("dan",
    "Danish"),
    "de": ("deu", "German"), "el": ("ell", "Greek"), "en": ("eng", "English"), "es": ("spa",
    "Spanish"),
    "et": ("est", "Estonian"), "eu": ("eus", "Basque"), "fa": ("fas", "Persian"), "fi": ("fin",
    "Finnish"),
    "fr": ("fra", "French"), "ga": ("gle", "Irish"), "gl": ("glg", "Galician"), "he": ("heb",
    "Hebrew"),
    "hi": ("hin", "Hindi"), "hr": ("hrv", "Croatian"), "hu": ("hun", "Hungarian"), "hy": ("hye",
    "Armenian"),
    "id": ("ind", "Indonesian"), "is": ("isl", "Icelandic"), "it": ("ita", "Italian"),
    "ja": ("jpn", "Japanese"),
    "kk": ("kaz", "Kazakh"), "ko": ("kor", "Korean"), "la": ("lat", "Latin"), "lt": ("lit",
    "Lithuanian"),
    "lv": ("lav", "Latvian"), "mr": ("mar", "Marathi"), "mt": ("mlt", "Maltese"), "nl": ("nld",
    "Dutch"),
    "no": ("nor", "Norwegian"), "pl": ("pol", "Polish"), "pt": ("por", "Portuguese"),
    "ro": ("ron", "Romanian"),
    "ru": ("rus", "Russian"), "sk": ("slk", "Slovak"), "sl": ("slv", "Slovenian"), "sr": ("srp",
    "Serbian"),
    "sv": ("swe", "Swedish"), "ta": ("tam", "Tamil"), "te": ("tel", "Telugu"), "tr": ("tur",
    "Turkish"),
    "ug": ("uig", "Uyghur"), "uk": ("ukr", "Ukrainian"), "ur": ("urd", "Urdu"), "vi": ("vie",
    "Vietnamese"),
    "zh": ("zho", "Chinese"),
}  # fmt: skip
"""The two-letter codes of treebank files, with the three-letter code (ISO 639-3) and the name of
each language.
"""


def get_tasks(
    languages: Sequence[str] = (), family: str = "ud", path: str | Path | None = None
) -> list[str]:
    """References of a family's tasks on every treebank of some languages found under a folder.

    languages  one or several, by ISO 639-3 ('eng', 'eng-Latn'), 639-1 ('en'), name ('English') or
               treebank ('en_ewt'); all by default
    family     'ud', or a pattern of task names such as 'ud/*-num'
    path       the folder to look in; the folder in SONDE_TREEBANKS, or the working folder, without
    """
    folder = Path(path or os.environ.get("SONDE_TREEBANKS", "."))
    languages = [languages] if isinstance(languages, str) else languages
    banks = [
        bank
        for bank in treebanks(folder)
        if not languages or any(_speaks(bank, named) for named in languages)
    ]
    if not banks:
        named = ", ".join(languages) or "any language"
        raise DataProblem(
            f"no treebank of {named} under {folder}: give path=, or set SONDE_TREEBANKS, to a"
            " folder of UD_* folders"
        )
    pattern = family if "/" in family else family + "/*"
    names = [name for name in TASKS if fnmatchcase(name, pattern) and not TASKS.needs(name)]
    return [str(Reference(name, str(bank))) for bank in banks for name in names]


def named(tasks: Iterable[Any], on_error: str = "raise") -> list[Any]:
    """The references that some texts and patterns stand for, with `on_error` for tasks that have
    the option; Task objects are left as they are.
    """
    every: list[Any] = []
    for task in tasks:
        if isinstance(task, str | Reference):
            every += [tolerant(reference, on_error) for reference in TASKS.expand(task)]
        elif isinstance(task, tuple | list | dict):
            raise DataProblem(
                f"{task!r:.60} is no task: give a reference ('ud/tense:PATH') or a Task object;"
                " sentences with labels of your own are a table, 'table:FILE'"
            )
        else:
            every.append(task)
    return every


def treebanks(folder: Path) -> Iterator[Path]:
    """The UD_* folders in a folder, itself included, by name."""
    if folder.name.startswith("UD_"):
        yield folder
        return
    yield from sorted(p for p in [*folder.glob("UD_*"), *folder.glob("*/UD_*")] if p.is_dir())


def _speaks(bank: Path, language: str) -> bool:
    """Whether a treebank is called so, or is in that language."""
    names = {bank.name.lower()}
    for file in bank.glob("*-ud-*.conllu*"):
        code = file.name.partition("-ud-")[0]
        two = re.split(r"[_-]", code)[0]
        names |= {code.lower(), two, *(n.lower() for n in LANGUAGES.get(two, ()))}
    return language.lower().partition("-")[0] in names or language.lower() in names
