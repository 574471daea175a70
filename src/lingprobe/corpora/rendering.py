"""Words -> readable text, and the repair of sentences whose words were moved or replaced.

Tasks that alter sentences must not be given away by spelling. So originals and altered sentences
take one road: `reorder_words` puts the words in order and sees to the capital, `render_words`
writes them down.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lingprobe.data.core import Sentence

_UNESCAPED = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"',
    "''": '"', "`": "‘",
}  # fmt: skip
_CLOSING = frozenset(
    [
        ",",
        ".",
        ";",
        ":",
        "?",
        "!",
        "%",
        ")",
        "]",
        "}",
        "”",
        "’",
        "...",
        "…",
        "?!",
        "!!",
        "!?",
        "..",
        "???",
        "!!!",
        "??",
    ]
)
_OPENING = frozenset(["(", "[", "{", "“", "‘", "$", "£", "€"])
_CLITIC = re.compile(r"(?i)['’](?:s|re|ve|ll|d|m)$|n['’]t$")
_ONE = {
    "can": ("not",),
    "gon": ("na",),
    "wan": ("na",),
    "got": ("ta",),
    "du": ("n",),
    "n": ("no",),
    "gim": ("me",),
    "lem": ("me",),
}
_PAIRED = frozenset(['"', "'"])
_MARKS = re.compile(r"[^\w]+$")


HYPHEN_TAG = "HYPH"
"""The tag of a hyphen inside a word, in treebanks that split there (GENIA, OntoNotes)."""


def render_words(words: Sequence[str], tags: Sequence[str] = ()) -> str:
    """The words as a reader would see them: marks close up to their words, clitics too, quotes and
    brackets in pairs.

    Tags, where they are given, tell the hyphens of words that were split at them (wild - type) from
    dashes.
    """
    hyphens = {i for i, tag in enumerate(tags) if tag == HYPHEN_TAG}
    pieces: list[str] = []
    open_: set[str] = set()
    glued = True  # whether the next word follows without a space
    for i, raw in enumerate(words):
        word = unescape_word(raw)
        closes = word in _CLOSING or are_joined(words[i - 1] if i else "", word)
        opens = word in _OPENING
        if word in _PAIRED:
            opens = word not in open_ and not _possessive(word, i, words)
            closes = not opens
            open_ ^= {word} if opens or word in open_ else set()
        if not (glued or closes or i in hyphens):
            pieces.append(" ")
        pieces.append(word)
        glued = opens or i in hyphens
    return "".join(pieces)


def unescape_word(word: str) -> str:
    """A word with the escapes of treebanks undone: brackets as -LRB-, quotes as `` and ''."""
    return _UNESCAPED.get(word, word)


def are_joined(first: str, second: str) -> bool:
    """Whether two words are parts of one (did n't, it 's, can not, gon na), so that no space stands
    between them.
    """
    return _CLITIC.match(second) is not None or second.lower() in _ONE.get(first.lower(), ())


def is_punctuation(word: str) -> bool:
    """Whether a word is punctuation: it has neither letter nor digit, or stands for a bracket."""
    return _MARKS.match(word) is not None or word in _UNESCAPED


def _possessive(word: str, i: int, words: Sequence[str]) -> bool:
    """Whether a lone apostrophe belongs to the plural before it (the dogs ' bowls)."""
    return word == "'" and i > 0 and words[i - 1][-1:] in "sS" and words.count("'") % 2 == 1


def reorder_words(
    words: Sequence[str], order: Sequence[int] | None = None, name: bool = False
) -> tuple[str, ...]:
    """Words in a new order, a capital first; the old first word loses its own elsewhere, unless it
    is a name.
    """
    ordered = [words[i] for i in order] if order is not None else list(words)
    if order is not None and order[0] != 0 and not name:
        place = list(order).index(0)
        ordered[place] = ordered[place][:1].lower() + ordered[place][1:]
    ordered[0] = ordered[0][:1].upper() + ordered[0][1:]
    return tuple(ordered)


def sentence_of(words: Sequence[str], tags: Sequence[str] = ()) -> Sentence:
    """A sentence of these words, rendered."""
    return Sentence(tuple(words), render_words(words, tags))


_NEGATION = "'t"  # Moses cuts don't as don + 't where the Penn Treebank has do + n't


def detokenize_words(words: Sequence[str]) -> str:
    """Undo tokens (`detokenise=true`): the words as a reader would see them; of the text only
    spaces are excluded, nothing is guessed back.

    What the files lost stays lost: a space inside a word (pul ing), a cut hyphen or a starred word
    (f * ck).
    """
    joined: list[str] = []
    for word in words:
        if word.casefold() == _NEGATION and joined:
            joined[-1] += word
        else:
            joined.append(word)
    # speech that began in an earlier sentence ends here
    if len(joined) > 1 and joined[-1] == '"' and joined.count('"') % 2:
        return render_words(joined[:-1]) + '"'
    return render_words(joined)
