"""Languages by code or name: `pl`, `pol`, `pol-Latn` and `Polish` are one.

Codes are those of BCP 47 and ISO 639, as langcodes knows them; names are those that Universal
Dependencies gives.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lingprobe.corpora.universal import list_treebanks
from lingprobe.data.records import records

SCRIPTS = {
    "sr": "Latn", "ko": "Hang", "zh_gsd": "Hant", "zh_pud": "Hant", "zh_hk": "Hant",
    "grc": "Grek", "hbo": "Hebr", "hyw": "Armn", "lzh": "Hant", "xcl": "Armn", "yue": "Hant",
    "bxr": "Cyrl", "koi": "Cyrl", "kpv": "Cyrl", "mdf": "Cyrl", "myv": "Cyrl", "orv": "Cyrl",
    "sah": "Cyrl",
    "bar": "Latn", "fro": "Latn", "frm": "Latn", "gsw": "Latn", "hsb": "Latn", "lij": "Latn",
    "ltg": "Latn", "nap": "Latn", "nds": "Latn", "olo": "Latn", "pcm": "Latn", "pro": "Latn",
    "scn": "Latn", "sga": "Latn", "sme": "Latn", "vep": "Latn",
}  # fmt: skip
"""Scripts of treebanks, or of all in a language, where the usual one of the language is another or
not known.
"""
NORWEGIAN = {"nb", "nn"}  # two languages, which treebanks call one


def language(code: str) -> str:
    """The code of a treebank's language, as pl for pl_pdb."""
    return code.replace("-", "_").partition("_")[0].lower()


def get_three_letter_code(code: str) -> str:
    """The three-letter code (ISO 639-3) of a language or treebank, as pol for pl_pdb; '' where it
    has none, as mixtures of two languages.
    """
    from langcodes import Language

    spoken_in = language(code)
    if re.fullmatch("q[a-t][a-z]", spoken_in):  # codes that everybody may use as they like
        return ""
    try:
        return Language.get(spoken_in, normalize=False).to_alpha3()
    except (ValueError, LookupError):
        return ""


def script(code: str) -> str:
    """The script of a language or treebank (ISO 15924), as Latn for pl_pdb; Zyyy where it is not
    known.
    """
    from langcodes import Language

    spoken_in = language(code)
    usual = Language.get(spoken_in).maximize().script if len(spoken_in) == 2 else None
    return SCRIPTS.get(code) or SCRIPTS.get(spoken_in) or usual or "Zyyy"


def language_codes(asked: str) -> set[str]:
    """The codes that a language asked for by code or name may have in treebanks; empty where it is
    none.
    """
    from langcodes import standardize_tag

    codes = _codes()
    if by_name := codes.get(asked.replace("_", " ").casefold()):
        return {by_name}
    tag = language(asked)
    if not tag.isalpha():
        return set()
    if same := {code for code in codes.values() if tag in (code, get_three_letter_code(code))}:
        return same
    try:
        wider = language(standardize_tag(tag, macro=True))  # arb is ar
    except ValueError:
        return set()
    return {"no" if wider in NORWEGIAN else wider}


@cache
def _codes() -> Mapping[str, str]:
    """Name of a language -> the code that its treebanks begin with."""
    return {bank.language.casefold(): language(code) for code, bank in list_treebanks().items()}


def name_language(code: str) -> str:
    """The name of a language or treebank, as Universal Dependencies has it; the code, without its
    script, where it has none.
    """
    plain = code.partition("-")[0]
    return _names().get(get_three_letter_code(plain) or plain, plain)


@cache
def _names() -> dict[str, str]:
    return {get_three_letter_code(code): bank.language for code, bank in list_treebanks().items()}


def get_lineage(code: str) -> tuple[str, ...]:
    """The Glottocodes of a language or treebank and of the families above it, the narrowest first;
    () where the language is not known.
    """
    return _lineages().get(language(code), ())


@cache
def _lineages() -> Mapping[str, tuple[str, ...]]:
    _, rows = records(Path(__file__).with_name("lineages.tsv"))
    return {code: (own, *families.split()) for _, (code, own, families) in rows}


_OF_SCRIPTS = {
    "ARMENIAN": "hy", "GEORGIAN": "ka", "GUJARATI": "gu", "GURMUKHI": "pa", "HANGUL": "ko",
    "MALAYALAM": "ml", "TAMIL": "ta", "TELUGU": "te", "THAI": "th",
}  # fmt: skip
"""Scripts, as names of characters begin, that are used for one language or its forebears."""


@cache
def name_language_of_script(letter: str) -> str:
    """The code of the language that alone is written in the script of a letter; '' where several
    are.
    """
    return _OF_SCRIPTS.get(unicodedata.name(letter, "").partition(" ")[0], "")
