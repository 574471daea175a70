"""How a treebank writes its sentences: paragraphs of raw text, and the tokens and words in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from lingprobe.corpora.running import clean_text
from lingprobe.corpora.trees import Range, Tree


class Token(NamedTuple):
    """A token of a text: one past its last character, the words that it stands for (more than one
    of a multiword token), and whether a sentence ends with it.
    """

    stop: int
    words: tuple[str, ...]
    last: bool = False


class Written(NamedTuple):
    """A sentence as it is written.

    stops  one past the last character of each token
    sizes  how many words each token stands for
    opens  whether a paragraph or document begins with it
    glued  whether no space follows it
    """

    text: str
    words: tuple[str, ...]
    stops: tuple[int, ...]
    sizes: tuple[int, ...]
    opens: bool
    glued: bool


class Paragraph(NamedTuple):
    """Some sentences that follow each other in a text."""

    text: str
    tokens: tuple[Token, ...]


def written_sentence(tree: Tree) -> Written | None:
    """How a tree's sentence is written, cleaned as running text is; None where a token has no
    visible character.
    """
    text, _ = clean_text(tree.text)
    ends = [i + 1 for i, character in enumerate(text) if character != " "]
    forms = list(_forms(tree))
    visible = [len(clean_text(form)[0].replace(" ", "")) for form, _ in forms]
    if not all(visible) or sum(visible) != len(ends):
        return None
    stops = tuple(ends[n - 1] for n in accumulate(visible))
    sizes = tuple(r.stop - r.start if r else 1 for _, r in forms)
    final = forms[-1][1]
    misc = final.misc if final else tree.misc[-1]
    opens = any(comment.startswith(("# newdoc", "# newpar")) for comment in tree.comments)
    return Written(text, tree.words, stops, sizes, opens, "SpaceAfter=No" in misc.split("|"))


def _forms(tree: Tree) -> Iterator[tuple[str, Range | None]]:
    """The form of each token, and the words that it stands for if it is a multiword one."""
    covering, i = {r.start: r for r in tree.ranges}, 0
    while i < len(tree.words):
        r = covering.get(i)
        yield (r.form if r else tree.words[i]), r
        i = r.stop if r else i + 1


def paragraphs(sentences: Iterable[Written | None]) -> Iterator[Paragraph]:
    """Sentences that follow each other as paragraphs; None is passed over."""
    held: list[Written] = []
    for each in filter(None, sentences):
        if held and each.opens:
            yield _join_sentences(held)
            held = []
        held.append(each)
    if held:
        yield _join_sentences(held)


def _join_sentences(sentences: Sequence[Written]) -> Paragraph:
    parts, tokens, at = list[str](), list[Token](), 0
    for each in sentences:
        first = 0
        for stop, size in zip(each.stops, each.sizes, strict=True):
            words = each.words[first : first + size]
            first += size
            tokens.append(Token(at + stop, words, first == len(each.words)))
        parts.append(each.text if each.glued else f"{each.text} ")
        at += len(parts[-1])
    return Paragraph("".join(parts).rstrip(" "), tuple(tokens))
