"""Trees of the Penn parsed corpora of historical English and their kin (IcePaHC, Tycho Brahe,
HeliPaD, Keyaki), made ordinary trees.

They are told by the identifier that stands beside the clause, `( (IP-MAT ...) (ID
1150.HOMILIES,.1))`, or by their codes. Identifiers, codes and metadata are no words; `*T*-1`,
`*con*` and `0` are traces; a leaf may bring its lemma, `dog-dog` or `dogs@l=dog@`; and words that
annotators have split, `ófriður$ $inn`, `d@ @os`, are put together again, under the tag of the first
part.
"""

from __future__ import annotations

import re

TRACE_TAG = "-NONE-"
_METADATA_LABEL = "METADATA"
_APART = frozenset({"ID", "CODE", _METADATA_LABEL, "COMMENT"})
"""Tags of leaves that are no words."""
_PARENTHESES = {"<paren>": ("-LRB-", "("), "<$$paren>": ("-RRB-", ")"), "<$paren>": ("-RRB-", ")")}

_METADATA = re.compile(r"\(\s*(?:ID|CODE|METADATA)\s")
_EMPTY = re.compile(r"\*(\S*\*)?(-\d+)?")
_NUMERAL = re.compile(r"NUM|CARD|CD|LS|N\b|NPR|FW|X")
_SPLIT = "$@"

Token = tuple[str, str, str, str, str]
"""Of a bracketed text: tag and word of a leaf, the label of a phrase, its end, or something else;
'' for the others.
"""


def is_historical(text: str) -> bool:
    """Whether a tree has an identifier or a code among its leaves, or is metadata."""
    return _METADATA.search(text) is not None


def strip_lemmas(tokens: list[Token]) -> list[Token]:
    """The same tree with words alone as words; what are none become traces. A ValueError where it
    is in CorpusSearch's deep format.
    """
    leaves, hidden = _leaves(tokens)
    if any(tokens[k][0] in ("ORTHO", "LEMMA") for k in leaves):
        raise ValueError(
            "CorpusSearch's deep format, with (ORTHO word) inside the leaves; write the corpus in"
            " the usual format"
        )
    plain, real = list(tokens), []
    for k in leaves:
        tag, word = tokens[k][:2]
        if tag == "CODE" and word in _PARENTHESES:
            plain[k] = _leaf(*_PARENTHESES[word])
        elif k in hidden or tag in _APART or is_empty_leaf(tag, word):
            plain[k] = _leaf(TRACE_TAG, word)
        else:
            real.append(k)
    forms = _strip_lemmas([tokens[k][1] for k in real])
    for k, leaf in zip(real, _join_split_words([tokens[k][0] for k in real], forms), strict=True):
        plain[k] = leaf
    return plain


def _leaf(tag: str, word: str) -> Token:
    return tag, word, "", "", ""


def _join_split_words(tags: list[str], forms: list[str]) -> list[Token]:
    """Leaves in which words that were split are whole, under the tag of their first part; the other
    parts are traces.
    """
    leaves: list[tuple[str, str]] = []
    last = -1
    for k, (tag, form) in enumerate(zip(tags, forms, strict=True)):
        sign = form[0]
        if last >= 0 and sign in _SPLIT and leaves[last][1][-1] == sign and len(form) > 1:
            leaves[last] = (tags[last], leaves[last][1][:-1] + form[1:])
            leaves.append((TRACE_TAG, form))
        else:
            leaves.append((tag, form))
            last = k
    return [_leaf(tag, form.strip(_SPLIT) or form) for tag, form in leaves]


def _leaves(tokens: list[Token]) -> tuple[list[int], set[int]]:
    """Where the leaves are, and those of them that lie in a phrase of metadata."""
    leaves, hidden, inside = [], set(), 0
    for k, (tag, _, label, closed, _) in enumerate(tokens):
        if tag:
            leaves.append(k)
            hidden |= {k} if inside else set()
        elif closed:
            inside -= inside > 0
        elif inside or label == _METADATA_LABEL:
            inside += 1
    return leaves, hidden


def is_empty_leaf(tag: str, word: str) -> bool:
    """Whether a leaf is a trace, a silent pronoun, or a complementiser that is not spoken."""
    return _EMPTY.fullmatch(word) is not None or (word == "0" and _NUMERAL.match(tag) is None)


def _strip_lemmas(leaves: list[str]) -> list[str]:
    """The words without their lemmas; of `form-lemma` only where every leaf of the tree is one."""
    if any("@l=" in leaf for leaf in leaves):
        return [leaf.partition("@l=")[0] or leaf for leaf in leaves]
    forms = [_form(leaf) for leaf in leaves]
    if not all(forms) or (len(leaves) < _FEW and not any(map(_is_form_of_leaf, forms, leaves))):
        return leaves
    return forms


_FEW = 3  # leaves, among which a word with a hyphen (to-day) might pass for one with its lemma


def _form(leaf: str) -> str:
    """The form of `form-lemma`, '' of anything else; a form with hyphens has a lemma with as many,
    or one with none.
    """
    parts = leaf.split("-")
    return "-".join(parts[: len(parts) // 2] if len(parts) % 2 == 0 else parts[:-1])


def _is_form_of_leaf(form: str, leaf: str) -> bool:
    return leaf[len(form) + 1 :].lower().startswith(form.lower()[:2])
