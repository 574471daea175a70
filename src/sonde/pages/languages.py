"""Languages that results are about, as the files name them that the sentences were read from: ISO
639-3 and 15924, 'eng-Latn'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from sonde.core import Result
from sonde.notes import Sources
from sonde.references import parsed_or_none
from sonde.tasks.find import LANGUAGES

UNKNOWN = "und-Zyyy"  # undetermined language, undetermined script
SCRIPTS = {
    "arb": "Arab", "bel": "Cyrl", "bul": "Cyrl", "ell": "Grek", "fas": "Arab", "heb": "Hebr",
    "hin": "Deva", "hye": "Armn",
    "jpn": "Jpan", "kaz": "Cyrl", "kor": "Hang", "mar": "Deva", "rus": "Cyrl", "srp": "Latn",
    "tam": "Taml", "tel": "Telu",
    "uig": "Arab", "ukr": "Cyrl", "urd": "Arab", "zho": "Hans",
}  # fmt: skip
"""Scripts of the languages of `LANGUAGES` that treebanks do not write in Latin letters."""
TRADITIONAL = ("zh_gsd", "zh_pud", "zh_hk")  # Chinese treebanks in traditional characters
# families of tasks in one language
BY_FAMILY = {"senteval": "en", "comp": "en", "rusenteval": "ru"}


def languages(results: Iterable[Result]) -> list[str]:
    """The languages of some results, each once, in order; `UNKNOWN` where nothing says which."""
    found = dict.fromkeys(code for result in results for code in _of(result))
    return list(found) or [UNKNOWN]


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
    if str(path) == "embedded":
        banks = ["en"]
    elif family in BY_FAMILY:
        banks = [BY_FAMILY[family]]
    elif family == "xprobe":
        banks = [path.name]
    return [code for bank in banks if (code := _code(bank))]


def _code(bank: str) -> str:
    """The code of a treebank's language, as of 'en_ewt'; '' where it is not known."""
    three = LANGUAGES.get(bank.partition("_")[0], ("", ""))[0]
    script = "Hant" if bank in TRADITIONAL else SCRIPTS.get(three, "Latn")
    return f"{three}-{script}" if three else ""
