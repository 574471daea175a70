"""Raw text of words that were cut by the conventions of Moses, as in SentEval's files: she 'd, wasn
't, don 't.
"""

from __future__ import annotations

from collections.abc import Sequence

from sonde.corpora.rendering import rendered

_NEGATION = "'t"  # Moses cuts don't as don + 't where the Penn Treebank has do + n't


def detokenised(words: Sequence[str]) -> str:
    """The words as a reader would see them; of the text only spaces are left out, nothing is
    guessed back.

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
        return rendered(joined[:-1]) + '"'
    return rendered(joined)
