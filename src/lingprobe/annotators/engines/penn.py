"""Penn tags as parts of speech and features of Universal Dependencies, for parsers of English that
tell no others.

The part of speech is that of the tag, but for a few that the relation decides (an auxiliary, a
subordinating conjunction); features are tense, number, mood and form of the verb alone.
"""

from __future__ import annotations

_UPOS = {
    "CC": "CCONJ", "CD": "NUM", "DT": "DET", "EX": "PRON", "FW": "X", "IN": "ADP", "JJ": "ADJ",
    "JJR": "ADJ", "JJS": "ADJ", "LS": "X", "MD": "AUX", "NN": "NOUN", "NNS": "NOUN",
    "NNP": "PROPN", "NNPS": "PROPN", "PDT": "DET", "POS": "PART", "PRP": "PRON", "PRP$": "PRON",
    "RB": "ADV", "RBR": "ADV", "RBS": "ADV", "RP": "ADP", "SYM": "SYM", "$": "SYM", "#": "SYM",
    "TO": "PART", "UH": "INTJ", "WDT": "PRON", "WP": "PRON", "WP$": "PRON", "WRB": "ADV",
    "ADD": "X", "AFX": "X", "GW": "X", "XX": "X", "NFP": "PUNCT",
}  # fmt: skip
_FEATS = {
    "VB": "VerbForm=Inf", "VBD": "Mood=Ind|Tense=Past|VerbForm=Fin", "VBG": "VerbForm=Ger",
    "VBN": "Tense=Past|VerbForm=Part", "VBP": "Mood=Ind|Tense=Pres|VerbForm=Fin",
    "VBZ": "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "MD": "VerbForm=Fin",
    "NN": "Number=Sing", "NNP": "Number=Sing", "NNS": "Number=Plur", "NNPS": "Number=Plur",
}  # fmt: skip
_AUXILIARY = frozenset({"aux", "aux:pass", "cop"})
_SINGULAR, _PLURAL = frozenset({"he", "she", "it", "i"}), frozenset({"we", "they"})


def convert_penn_tag(word: str, tag: str, relation: str) -> tuple[str, str]:
    """The UPOS and FEATS of a word with a Penn tag and a relation to its head."""
    if tag.startswith("VB"):
        upos = "AUX" if relation in _AUXILIARY else "VERB"
    elif tag in ("IN", "TO") and relation in ("mark", "case"):
        upos = "ADP" if relation == "case" else "PART" if tag == "TO" else "SCONJ"
    elif word.lower() in ("not", "n't"):
        upos = "PART"
    elif tag == "DT" and relation != "det":
        upos = "PRON"
    else:
        upos = _UPOS.get(tag, "PUNCT")
    return upos, _find_pronoun_number(word) if tag == "PRP" else _FEATS.get(tag, "_")


def _find_pronoun_number(word: str) -> str:
    """The number of a personal pronoun that has one."""
    low = word.lower()
    return (
        "Number=Sing" if low in _SINGULAR else "Number=Plur" if low in _PLURAL else "PronType=Prs"
    )
