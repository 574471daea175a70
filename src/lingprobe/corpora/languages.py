"""Languages by code or name: `pl`, `pol`, `pol-Latn`, `poli1260`, `Polish` and `polski` are one.

Codes are those of BCP 47 and ISO 639, as langcodes knows them, and Glottolog's; names are those
that Universal Dependencies gives, and others (`aliases.tsv`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lingprobe.corpora.aliases import list_aliases
from lingprobe.corpora.universal import list_treebanks
from lingprobe.data.records import read_tab_separated

_SCRIPTS = {
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
_NORWEGIAN = {"nb", "nn"}  # two languages, which treebanks call one


def get_language_code(code: str) -> str:
    """The code of a treebank's language, as pl for pl_pdb."""
    return code.replace("-", "_").partition("_")[0].lower()


def get_three_letter_code(code: str) -> str:
    """The three-letter code (ISO 639-3) of a language or treebank, as pol for pl_pdb; '' where it
    has none, as mixtures of two languages.
    """
    from langcodes import Language

    spoken_in = get_language_code(code)
    if re.fullmatch("q[a-t][a-z]", spoken_in):  # codes that everybody may use as they like
        return ""
    try:
        return Language.get(spoken_in, normalize=False).to_alpha3()
    except (ValueError, LookupError):
        return ""


def get_script(code: str) -> str:
    """The script of a language or treebank (ISO 15924), as Latn for pl_pdb; Zyyy where it is not
    known.
    """
    from langcodes import Language

    spoken_in = get_language_code(code)
    usual = Language.get(spoken_in).maximize().script if len(spoken_in) == 2 else None
    return _SCRIPTS.get(code) or _SCRIPTS.get(spoken_in) or usual or UNKNOWN_SCRIPT


UNKNOWN_SCRIPT = "Zyyy"
_NAMED_SCRIPTS = {
    "ARABIC": "Arab", "ARMENIAN": "Armn", "BENGALI": "Beng", "CJK": "Hani", "COPTIC": "Copt",
    "CUNEIFORM": "Xsux", "CYRILLIC": "Cyrl", "DEVANAGARI": "Deva", "EGYPTIAN": "Egyp",
    "ETHIOPIC": "Ethi", "GEORGIAN": "Geor", "GOTHIC": "Goth", "GREEK": "Grek", "GUJARATI": "Gujr",
    "GURMUKHI": "Guru", "HANGUL": "Hang", "HEBREW": "Hebr", "HIRAGANA": "Jpan", "KANNADA": "Knda",
    "KATAKANA": "Jpan", "KHMER": "Khmr", "LAO": "Laoo", "LATIN": "Latn", "MALAYALAM": "Mlym",
    "MONGOLIAN": "Mong", "MYANMAR": "Mymr", "ORIYA": "Orya", "SINHALA": "Sinh", "SYRIAC": "Syrc",
    "TAMIL": "Taml", "TELUGU": "Telu", "THAI": "Thai", "TIBETAN": "Tibt", "TIFINAGH": "Tfng",
}  # fmt: skip
"""What names of letters begin with in Unicode -> ISO 15924."""


def name_script(forms: Mapping[str, int]) -> str:
    """The script that most letters of some words have, given with how often each occurs; Zyyy where
    it is none of the common ones.
    """
    counts: Counter[str] = Counter()
    for form, n in forms.items():
        for letter in form:
            if letter.isalpha():
                counts[unicodedata.name(letter, "").partition(" ")[0]] += n
    ((commonest, _),) = counts.most_common(1) or [("", 0)]
    return _NAMED_SCRIPTS.get(commonest, UNKNOWN_SCRIPT)


def language_codes(language: str) -> set[str]:
    """The codes that a language asked for by code or name may have in treebanks; empty where it is
    none.
    """
    from langcodes import standardize_tag

    codes = _codes()
    plain = language.replace("_", " ").casefold()
    if by_name := codes.get(plain) or _glottocodes().get(plain):
        return {by_name}
    tag = list_aliases().get(plain) or get_language_code(language)
    if not tag.isalpha():
        return set()
    if same := {code for code in codes.values() if tag in (code, get_three_letter_code(code))}:
        return same
    if members := _MEMBERS.get(get_three_letter_code(tag) or tag):
        return members
    try:
        wider = get_language_code(standardize_tag(tag, macro=True))  # arb is ar
    except ValueError:
        return set()
    return {"no" if wider in _NORWEGIAN else wider}


_MEMBERS = {
    "bua": {"bxr"}, "hbs": {"bs", "hr", "sr"}, "kom": {"koi", "kpv"}, "kur": {"ckb", "kmr", "sdh"},
    "lah": {"pnb", "xnr"}, "msa": {"id"}, "nah": {"azz", "nhi"},
}  # fmt: skip
"""Macrolanguages of ISO 639-3, and Nahuatl, that no treebank is called by -> the codes of those of
their languages that have treebanks.
"""


@cache
def _glottocodes() -> Mapping[str, str]:
    """Glottocodes of languages -> the code that their treebanks begin with."""
    return {own: code for code, (own, *_) in _lineages().items()}


@cache
def _codes() -> Mapping[str, str]:
    """Name of a language -> the code that its treebanks begin with."""
    return {
        bank.language.casefold(): get_language_code(code) for code, bank in list_treebanks().items()
    }


def name_language(code: str) -> str:
    """The name of a language or treebank, as Universal Dependencies has it; the code, without its
    script, where it has none.
    """
    plain = code.partition("-")[0]
    return _read_language_names().get(get_three_letter_code(plain) or plain, plain)


@cache
def _read_language_names() -> dict[str, str]:
    return {get_three_letter_code(code): bank.language for code, bank in list_treebanks().items()}


def get_lineage(code: str) -> tuple[str, ...]:
    """The Glottocodes of a language or treebank and of the families above it, the narrowest first;
    () where the language is not known.
    """
    return _lineages().get(get_language_code(code), ())


@cache
def _lineages() -> Mapping[str, tuple[str, ...]]:
    _, rows = read_tab_separated(Path(__file__).with_name("lineages.tsv"))
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
