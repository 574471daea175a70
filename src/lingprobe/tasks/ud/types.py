"""Statement, question or command: rules that read any UD treebank with Mood=Imp, and leave out what
is in doubt.

The paper gives no rules, and its 96 to 98 % for word vectors say that the final mark gives most of
it away; so every example is tagged with its final mark, and `final=strip` takes the mark off.
docs/design/constructions.md says what the rules miss.
"""

from __future__ import annotations

from lingprobe.corpora.marks import (
    CLOSING_BRACKETS,
    CLOSING_MARKS,
    QUESTION_OPENING_MARKS,
    QUOTATION_MARKS,
    classify_final_mark,
    final_mark,
    find_question_mark,
    is_sentence_end,
)
from lingprobe.tasks.answers import Finding, make_answer
from lingprobe.tasks.ud.clause import MainClause
from lingprobe.tasks.ud.constructions import SENTENCE_TYPE_TOPIC, is_language_read
from lingprobe.tasks.ud.lists import word_list
from lingprobe.tasks.ud.rules import tag_unread
from lingprobe.tasks.ud.verbs import UNMARKED_COMMAND

QUESTION_WITHOUT_MARK = "asks by its words, but has no question mark"
_SILENT = "no subject: a statement or a command, which the treebank does not mark"
_BARE = "a bare infinitive: a command in some languages, a fragment in others"
_WISHES = "a subjunctive without a subject: a command, a wish or a statement"
_BELOW = "the question mark belongs to a clause that is said"
_COLONS = frozenset(":：՝")


def sent_type(clause: MainClause) -> Finding:
    """imper: Mood=Imp at the main predicate, without subject; inter: a final question mark; other:
    statements, exclamations.
    """
    group = clause.group
    words = clause.sentence.words
    mark, _ = final_mark(words)
    asked, quoted = find_question_mark(words)
    ending = "?" if asked else classify_final_mark(mark)
    is_clause = bool(mark) or group.finite or clause.has_subject
    at = _asking_within(words, clause.sentence.text) if not asked and clause.mark else 0
    if at and is_clause:
        asked, quoted, ending = True, any(word in QUOTATION_MARKS for word in words[:at]), "?"
    if group.command or clause.particle == "command":
        return _command(clause, ending)
    if asked or ((clause.particle == "question" or group.asks) and ending != "!"):
        return _question(clause, quoted, ending)
    return _doubt_statement(clause, ending, is_clause) or make_answer(
        "other", mark=ending, **tag_unread(_is_unread(clause))
    )


def _doubt_statement(clause: MainClause, ending: str, is_clause: bool) -> str:
    """Doubtful cases: why a sentence without a question mark may be no statement; '' where nothing
    is against it.
    """
    group = clause.group
    silent = clause.opens and (group.moodless == "finite" or (group.moodless and ending == "!"))
    asks = clause.asks or group.asks or clause.particle == "question"
    doubts = (
        (group.unmarked and not clause.has_subject, UNMARKED_COMMAND),
        (group.wishes and not clause.has_subject, _WISHES),
        (group.bare and not clause.has_subject, _BARE),
        (silent and not clause.has_subject, _SILENT),
        (asks and not (ending == "!" and not group.verb), QUESTION_WITHOUT_MARK),
        (clause.joined, "a statement joined with a command"),
        (not is_clause, "neither a verb nor a final mark"),
    )
    return next((reason for holds, reason in doubts if holds), "")


def _is_unread(clause: MainClause) -> bool:
    """Whether a statement begins or ends with a word that may ask, of which no row says whether it
    does, in a language that has rows of these.
    """
    return clause.particle == "unread" and is_language_read(clause.language, SENTENCE_TYPE_TOPIC)


def _asking_within(words: tuple[str, ...], text: str) -> int:
    """Where the first question mark inside a sentence stands that closes no brackets, as in *Who?
    he asked*; 0 for none. One that a letter follows in the text stands for a letter that was lost.
    """
    return next(
        (
            i
            for i in range(1, len(words) - 1)
            if words[i] in QUESTION_OPENING_MARKS
            or (
                classify_final_mark(words[i]) == "?"
                and is_sentence_end(words[i])
                and words[i + 1] not in CLOSING_BRACKETS
                and not (words[i + 1][:1].isalpha() and words[i] + words[i + 1] in text)
            )
        ),
        0,
    )


def _command(clause: MainClause, ending: str) -> Finding:
    """A command: Mood=Imp without a subject; doubtful cases are excluded, as with a question mark
    or quoted.
    """
    if ending == "?":
        return "a command with a question mark"
    if clause.group.third or clause.has_subject:
        return "an imperative with a subject or in the third person"
    if clause.copular and clause.group.verb:
        return "a verb with a copula, called an imperative"
    if clause.lemma in word_list("presentatives"):
        return "a word that shows something, called an imperative"
    if clause.group.exclaims:
        return "a fixed interjection, called an imperative"
    return (
        "a command that somebody quotes"
        if _quotes(clause.sentence.words)
        else make_answer("imper", mark=ending)
    )


def _question(clause: MainClause, quoted: bool, ending: str) -> Finding:
    """A question by its mark; doubtful cases are excluded, as inside quotes or behind a colon."""
    if quoted:
        return "the question mark stands inside quotes"
    if clause.asks_below and not clause.asks:
        return _BELOW
    # the mark speaks of that part alone
    behind = not _COLONS.isdisjoint(clause.sentence.words[1:-1])
    return "a question behind a colon" if behind else make_answer("inter", mark=ending)


def _quotes(words: tuple[str, ...]) -> bool:
    """Whether a sentence quotes another: quotes open it and close before its end."""
    closed = max((i for i, word in enumerate(words) if word in QUOTATION_MARKS), default=0)
    return words[0] in QUOTATION_MARKS and any(
        word not in CLOSING_MARKS and not is_sentence_end(word) for word in words[closed + 1 :]
    )
