"""Statement, question or command: rules that read any UD treebank with Mood=Imp, and leave out what
is in doubt.

The paper gives no rules, and its 96 to 98 % for word vectors say that the final mark gives most of
it away; so every example is tagged with its final mark, and `final=strip` takes the mark off.
docs/design/constructions.md says what the rules miss.
"""

from __future__ import annotations

from lingprobe.corpora.marks import (
    BRACKETS,
    CLOSING,
    OPENING,
    QUOTES,
    ends,
    final_mark,
    question,
    sign,
)
from lingprobe.tasks.answers import Finding, answer
from lingprobe.tasks.ud.clause import Clause
from lingprobe.tasks.ud.lists import word_list
from lingprobe.tasks.ud.verbs import UNMARKED_COMMAND

BARE = "a bare infinitive: a command in some languages, a fragment in others"
_COLONS = frozenset(":：՝")


def sent_type(clause: Clause) -> Finding:
    """imper: Mood=Imp at the main predicate, without subject; inter: a final question mark; other:
    statements, exclamations.
    """
    group = clause.group
    words = clause.sentence.words
    mark, _ = final_mark(words)
    asked, quoted = question(words)
    ending = "?" if asked else sign(mark)
    is_clause = bool(mark) or group.finite or clause.has_subject
    at = _asking_within(words, clause.sentence.text) if not asked and clause.mark else 0
    if at and is_clause:
        asked, quoted, ending = True, any(word in QUOTES for word in words[:at]), "?"
    if group.command or clause.particle == "command":
        return _command(clause, ending)
    if asked or clause.particle == "question":
        return _question(clause, quoted, ending)
    if (group.unmarked or group.bare) and not clause.has_subject:
        return UNMARKED_COMMAND if group.unmarked else BARE
    if (clause.asks or group.asks) and not (ending == "!" and not group.verb):
        return "asks by its words, but has no question mark"
    if clause.joined:
        return "a statement joined with a command"
    return (
        answer("other", mark=ending)
        if mark or group.finite or clause.has_subject
        else "neither a verb nor a final mark"
    )


def _asking_within(words: tuple[str, ...], text: str) -> int:
    """Where the first question mark inside a sentence stands that closes no brackets, as in *Who?
    he asked*; 0 for none. One that a letter follows in the text stands for a letter that was lost.
    """
    return next(
        (
            i
            for i in range(1, len(words) - 1)
            if words[i] in OPENING
            or (
                sign(words[i]) == "?"
                and ends(words[i])
                and words[i + 1] not in BRACKETS
                and not (words[i + 1][:1].isalpha() and words[i] + words[i + 1] in text)
            )
        ),
        0,
    )


def _command(clause: Clause, ending: str) -> Finding:
    if ending == "?":
        return "a command with a question mark"
    if clause.group.third or clause.has_subject:
        return "an imperative with a subject or in the third person"
    if clause.lemma in word_list("presentatives"):
        return "a word that shows something, called an imperative"
    return (
        "a command that somebody quotes"
        if _quotes(clause.sentence.words)
        else answer("imper", mark=ending)
    )


def _question(clause: Clause, quoted: bool, ending: str) -> Finding:
    if quoted:
        return "the question mark stands inside quotes"
    # the mark speaks of that part alone
    behind = not _COLONS.isdisjoint(clause.sentence.words[1:-1])
    return "a question behind a colon" if behind else answer("inter", mark=ending)


def _quotes(words: tuple[str, ...]) -> bool:
    """Whether quotes open a sentence and close before its end."""
    closed = max((i for i, word in enumerate(words) if word in QUOTES), default=0)
    return words[0] in QUOTES and any(
        word not in CLOSING and not ends(word) for word in words[closed + 1 :]
    )
