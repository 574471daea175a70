"""Which language the data of a task are in, as far as its reference and its files say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from lingprobe.corpora.embedded import EMBEDDED_TREEBANK
from lingprobe.corpora.languages import (
    get_script,
    get_three_letter_code,
    language_codes,
)
from lingprobe.corpora.universal import find_treebank
from lingprobe.data.core import Result
from lingprobe.data.notes import ResultProvenance, SourceNote
from lingprobe.data.references import try_parse_reference
from lingprobe.tasks.about import find_task_description

UNKNOWN_LANGUAGE = "und-Zyyy"  # undetermined language, undetermined script
_FILE = re.compile(r"([a-z]{2,3}_[a-z0-9]+)-ud-")


def list_languages(results: Iterable[Result]) -> list[str]:
    """The languages of some results with their scripts, as pol-Latn, each once, in order;
    `UNKNOWN_LANGUAGE` where nothing says which.
    """
    return list_task_languages((each.trial.task, each.provenance) for each in results)


def list_task_languages(tasks: Iterable[tuple[str, ResultProvenance]]) -> list[str]:
    """The same of tasks, each with what is known of how it was measured."""
    return with_scripts(dict.fromkeys(code for each in tasks for code in _find_codes(*each)))


def with_scripts(codes: Iterable[str]) -> list[str]:
    """Languages and scripts (ISO 639-3 and 15924) of languages and treebanks, as pol-Latn;
    `UNKNOWN_LANGUAGE` where there are none.
    """
    known = {code: get_three_letter_code(code) for code in codes}
    named = (f"{iso}-{get_script(code)}" for code, iso in known.items() if iso)
    return list(dict.fromkeys(named)) or [UNKNOWN_LANGUAGE]


def _find_codes(task: str, about: ResultProvenance) -> list[str]:
    parsed = try_parse_reference(task)
    if parsed is None:
        return []
    source = about.notes.part(SourceNote)
    asked = dict(parsed.options).get("language", "")
    return data_codes(parsed.name, parsed.argument or "", asked, source.files if source else ())


def data_codes(name: str, place: str, language: str, files: Iterable[object]) -> list[str]:
    """The codes of the languages or treebanks of a task, the first that says something counts: its
    option language=, the folder of X-Probe's files, what is known of the task, its files.
    """
    if named := sorted(language_codes(language), key=lambda code: (len(code), code))[:1]:
        return named
    if place == EMBEDDED_TREEBANK:
        return ["en"]
    if name.startswith("xprobe/") and place:
        return [PurePath(place).name]
    known = find_task_description(name)
    if known and len(known.languages) == 1:
        return list(known.languages)
    return list(dict.fromkeys(code for f in files if (code := treebank_code(PurePath(str(f))))))


def treebank_code(file: PurePath) -> str:
    """The code of the treebank that a file is of, as its name or its folder says; '' where neither
    does.
    """
    if coded := _FILE.match(file.name):
        return coded[1]
    if re.fullmatch(rf"{EMBEDDED_TREEBANK}-\w+\.conllu", file.name):
        return "en"
    bank = find_treebank(file.parent.name)
    return bank.code if bank else ""
