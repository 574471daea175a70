"""Which language results are about, as far as their tasks and files say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from lingprobe.corpora.languages import language_codes, script, three
from lingprobe.data.core import Result
from lingprobe.data.notes import Sources
from lingprobe.data.references import parsed_or_none
from lingprobe.tasks.about import about

UNKNOWN = "und-Zyyy"  # undetermined language, undetermined script


def languages(results: Iterable[Result]) -> list[str]:
    """The languages of some results, each once, in order; `UNKNOWN` where nothing says which."""
    codes = dict.fromkeys(code for result in results for code in _of(result))
    return list(codes) or [UNKNOWN]


def _of(result: Result) -> list[str]:
    parsed = parsed_or_none(result.trial.task)
    if parsed is None:
        return []
    family, path = parsed.name.partition("/")[0], PurePath(parsed.argument or "")
    source = result.provenance.notes.part(Sources)
    files = list(map(str, source.files)) if source else []
    banks = [
        match[1]
        for file in files
        if (match := re.match(r"([a-z]+_[a-z0-9]+)-ud-", PurePath(file).name))
    ]
    known = about(parsed.name)
    named = dict(parsed.options).get("language", "")
    if codes := language_codes(named):
        banks = sorted(codes)
    elif str(path) == "embedded":
        banks = ["en"]
    elif family == "xprobe":
        banks = [path.name]
    elif known and len(known.languages) == 1:
        banks = list(known.languages)
    return [code for bank in banks if (code := _code(bank))]


def _code(bank: str) -> str:
    """Language and script of a treebank, as of 'en_ewt'; '' where they are not known."""
    return f"{code}-{script(bank)}" if (code := three(bank)) else ""
