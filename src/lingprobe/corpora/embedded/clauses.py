"""Clauses of the embedded grammar: statements, questions, commands, exclamations, and what hangs
below them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lingprobe.corpora.embedded.lexicon import LEXICON, Noun, Verb
from lingprobe.corpora.embedded.phrases import (
    AUXILIARIES,
    Chance,
    Form,
    Phrase,
    Word,
    adjective,
    adverb,
    degree,
    nominal,
    person,
    place,
    prepositional,
    uninflected,
    verb_group,
    vowel,
)

KINDS = tuple(LEXICON.transitive)
RARE = ("ditransitive", "ditransitive", "clausal", "control", "copular", "copular")
FRAMES = ("transitive",) * 9 + ("intransitive",) * 4 + ("passive",) * 6 + RARE
COMMA = Word(",", ",", "PUNCT", deprel="punct", tight=True)
NOT = uninflected("not", "PART", "Polarity=Neg", "advmod")


@dataclass(frozen=True, slots=True)
class Parts:
    """A clause before its words are put in order: the subject, the auxiliaries, the head, and what
    follows it.
    """

    subject: Phrase
    auxiliaries: tuple[Word, ...]
    head: Word
    after: tuple[Word, ...] = ()


def form(chance: Chance, like: Form | None = None) -> Form:
    """Tense, aspect and polarity; a dependent clause mostly has the tense of the one above it."""
    tense = like.tense if like is not None and chance.hit(0.6) else chance.pick(("Pres", "Past"))
    draw = chance.pick(range(20))
    aspect = (
        "simple"
        if draw < 13
        else "progressive"
        if draw < 16
        else "perfect"
        if draw < 18
        else "modal"
    )
    return Form(tense, aspect, negative=chance.hit(0.1))


def parts(chance: Chance, verb_form: Form, depth: int, frames: tuple[str, ...] = FRAMES) -> Parts:
    """The subject, the verb group and what follows it, for one of the frames."""
    frame = chance.pick(frames)
    if frame == "clausal" and not chance.more(depth):
        frame = "transitive"
    if frame == "copular":
        return _copular(chance, replace(verb_form, aspect="simple"), depth)
    if frame == "passive":
        return _passive(chance, verb_form, depth)
    subject = person(chance, depth + 1, relative)
    verb = _verb(chance, frame)
    auxiliaries, head = verb_group(chance, verb, _allowed(verb_form, verb), subject)
    return Parts(
        subject.under("nsubj"),
        auxiliaries,
        head,
        complements(chance, frame, verb, verb_form, depth),
    )


def _verb(chance: Chance, frame: str) -> Verb:
    if frame == "transitive":
        return chance.pick(LEXICON.transitive[chance.pick(KINDS)])
    table = {
        "intransitive": LEXICON.intransitive,
        "ditransitive": LEXICON.ditransitive,
        "clausal": LEXICON.clausal,
        "control": LEXICON.control,
    }
    return chance.pick(table[frame])


def _allowed(verb_form: Form, verb: Verb) -> Form:
    return (
        replace(verb_form, aspect="simple")
        if verb.state and verb_form.aspect == "progressive"
        else verb_form
    )


def complements(
    chance: Chance, frame: str, verb: Verb, verb_form: Form, depth: int
) -> tuple[Word, ...]:
    """What the verb asks for: objects, a clause, an infinitive."""
    if frame == "transitive":
        return (_object(chance, verb, depth),)
    if frame == "ditransitive":
        return _gift(chance, depth)
    if frame == "clausal":
        below = statement(chance, form(chance, verb_form), depth + 1).under("ccomp")
        return (below.plus((uninflected("that", "SCONJ", "_", "mark"),)),)
    if frame == "control":
        below = infinitive(chance, depth + 1).under("xcomp")
        return (below.plus((uninflected("to", "PART", "_", "mark"),)),)
    return ()


def _gift(chance: Chance, depth: int) -> tuple[Word, ...]:
    """The two objects of a verb of giving."""
    kind = chance.pick(("thing", "text", "food"))
    gift = nominal(chance, kind, depth + 1, relative).word.under("obj")
    receiver = person(chance, depth + 1, relative, "Acc").word
    if chance.hit(0.6):
        return receiver.under("iobj"), gift
    return gift, prepositional("to", receiver, "obl")


def _object(chance: Chance, verb: Verb, depth: int) -> Word:
    if verb.kind == "person":
        return person(chance, depth + 1, relative, "Acc").word.under("obj")
    return nominal(chance, verb.kind, depth + 1, relative).word.under("obj")


def infinitive(chance: Chance, depth: int) -> Word:
    """A bare infinitive with its object."""
    verb = _verb(chance, frame := chance.pick(("transitive", "transitive", "intransitive")))
    return Word(
        verb.base,
        verb.base,
        "VERB",
        "VerbForm=Inf",
        right=complements(chance, frame, verb, Form(), depth),
    )


def _passive(chance: Chance, verb_form: Form, depth: int) -> Parts:
    verb = _verb(chance, "transitive")
    while verb.state or (verb.kind == "person" and chance.hit(0.3)):
        verb = _verb(chance, "transitive")
    subject = nominal(chance, verb.kind, depth + 1, relative).under("nsubj:pass")
    auxiliaries, head = verb_group(chance, verb, replace(verb_form, passive=True), subject)
    agent: tuple[Word, ...] = ()
    if chance.hit(0.3):
        agent = (prepositional("by", person(chance, depth + 1, relative, "Acc").word, "obl:agent"),)
    return Parts(subject, auxiliaries, head, agent)


def _copular(chance: Chance, verb_form: Form, depth: int) -> Parts:
    kind = chance.pick(KINDS)
    subject = nominal(chance, kind, depth + 1, relative).under("nsubj")
    head = adjective(chance, kind, 4)
    (copula,) = verb_group(
        chance, AUXILIARIES["be"], replace(verb_form, question=False, negative=False), subject
    )[1:]
    copula = replace(copula, upos="AUX", deprel="cop")
    return Parts(
        subject, (copula,), head.plus(left=degree(chance) if chance.more(depth + 1) else ())
    )


def statement(chance: Chance, verb_form: Form, depth: int) -> Word:
    """Subject, verb and complements in order, with adjuncts, coordination and clauses where there
    is room.
    """
    clause = parts(chance, verb_form, depth)
    left: list[Word] = [clause.subject.word, *_negated(clause.auxiliaries, verb_form)]
    if depth == 0 and chance.more(depth + 2):
        left[:0] = [place(chance, depth + 1, relative), COMMA]
    verbal = clause.head.upos == "VERB"
    if (
        verbal
        and verb_form.aspect == "simple"
        and not verb_form.negative
        and chance.more(depth + 2)
    ):
        left.append(adverb(chance.pick(LEXICON.frequency)))
    right = [*clause.after, *adjuncts(chance, depth, verbal)]
    if chance.more(depth + 2):
        right.append(
            _below(chance, verb_form, depth)
            if chance.hit(0.5)
            else _joined(chance, clause.subject, verb_form, depth)
        )
    return clause.head.plus(left, right)


def _negated(auxiliaries: tuple[Word, ...], verb_form: Form) -> list[Word]:
    return (
        [*auxiliaries[:1], NOT, *auxiliaries[1:]]
        if verb_form.negative and auxiliaries
        else list(auxiliaries)
    )


def adjuncts(chance: Chance, depth: int, verbal: bool) -> list[Word]:
    """How and where; nothing here tells the tense."""
    words = []
    if verbal and chance.more(depth + 1):
        words.append(adverb(chance.pick(LEXICON.manner)))
    if chance.more(depth + 1):
        words.append(place(chance, depth + 1, relative))
    return words


def _below(chance: Chance, verb_form: Form, depth: int) -> Word:
    """A subordinate clause."""
    mark = chance.pick(("because", "although", "while", "since"))
    clause = statement(chance, replace(form(chance, verb_form), negative=False), depth + 2)
    return clause.under("advcl").plus(left=(uninflected(mark, "SCONJ", "_", "mark"),))


def _joined(chance: Chance, subject: Phrase, verb_form: Form, depth: int) -> Word:
    """A second predicate of the same subject, or a second clause."""
    conjunction = Word(chance.pick(("and", "but")), "and", "CCONJ", "_", "cc")
    conjunction = replace(conjunction, lemma=conjunction.form)
    if chance.hit(0.4):
        return (
            statement(chance, form(chance, verb_form), depth + 2)
            .under("conj")
            .plus(left=(COMMA, conjunction))
        )
    frame = chance.pick(("transitive", "intransitive"))
    verb = _verb(chance, frame)
    auxiliaries, head = verb_group(chance, verb, Form(verb_form.tense), subject)
    return head.under("conj").plus(
        [conjunction, *auxiliaries], complements(chance, frame, verb, verb_form, depth + 1)
    )


def relative(chance: Chance, noun: Noun, number: str, depth: int) -> Word:
    """A relative clause: about a person mostly as the subject, about other things as the object."""
    verb_form, frame = form(chance), ""
    if noun.kind == "person" and chance.hit(0.7):
        frame = chance.pick(("transitive", "intransitive"))
        verb = _verb(chance, frame)
        before = [uninflected("who", "PRON", "PronType=Rel", "nsubj")]
        subject = Phrase(before[0], number)
    else:
        verb = chance.pick(LEXICON.transitive[noun.kind])
        subject = person(chance, depth + 1, relative).under("nsubj")
        before = [uninflected("that", "PRON", "PronType=Rel", "obj"), subject.word]
    auxiliaries, head = verb_group(chance, verb, _allowed(verb_form, verb), subject)
    after = complements(chance, frame, verb, verb_form, depth)
    return head.under("acl:relcl").plus([*before, *_negated(auxiliaries, verb_form)], after)


def question(chance: Chance) -> Word:
    """A yes-no question, or one with a question word."""
    verb_form = replace(form(chance), question=True, negative=False)
    draw = chance.pick(range(10))
    if draw < 2:
        return _who(chance, replace(verb_form, question=False))
    frames = FRAMES if draw < 6 else ("transitive", "intransitive", "passive", "control")
    clause = parts(chance, verb_form, 0, frames)
    left = [*clause.auxiliaries[:1], clause.subject.word, *clause.auxiliaries[1:]]
    after = [*clause.after, *adjuncts(chance, 0, clause.head.upos == "VERB")]
    if draw == 6 and clause.after and clause.after[0].deprel == "obj":
        pronoun = "who" if clause.after[0].upos in ("PROPN", "PRON") else "what"
        left.insert(0, uninflected(pronoun, "PRON", "PronType=Int", "obj"))
        after = [word for word in after if word.deprel != "obj"]
    elif draw >= 6:
        pronoun = chance.pick(("when", "where", "why", "how"))
        left.insert(0, uninflected(pronoun, "ADV", "PronType=Int", "advmod"))
        after = [word for word in after if word.deprel in {"obj", "xcomp"}]
    return clause.head.plus(left, after)


def _who(chance: Chance, verb_form: Form) -> Word:
    frame = chance.pick(("transitive", "transitive", "intransitive"))
    verb = _verb(chance, frame)
    pronoun = uninflected("who", "PRON", "PronType=Int", "nsubj")
    auxiliaries, head = verb_group(chance, verb, _allowed(verb_form, verb), Phrase(pronoun, "Sing"))
    return head.plus(
        [pronoun, *auxiliaries],
        [*complements(chance, frame, verb, verb_form, 0), *adjuncts(chance, 0, True)],
    )


def command(chance: Chance) -> Word:
    """An imperative, polite or negative now and then."""
    frame = chance.pick(("transitive",) * 5 + ("intransitive", "ditransitive"))
    verb = _verb(chance, frame)
    while verb.state:
        verb = _verb(chance, frame)
    left: list[Word] = []
    negative = chance.hit(0.2)
    if negative:
        left = [uninflected("do", "AUX", "Mood=Imp|VerbForm=Fin", "aux"), NOT]
    if chance.hit(0.2):
        left.insert(0, uninflected("please", "INTJ", "_", "discourse"))
    feats = "VerbForm=Inf" if negative else "Mood=Imp|VerbForm=Fin"
    after = [*complements(chance, frame, verb, Form(), 0), *adjuncts(chance, 0, True)]
    if chance.more(3):
        after.append(_below(chance, Form(), 0))
    return Word(verb.base, verb.base, "VERB", feats, left=tuple(left), right=tuple(after))


def exclamation(chance: Chance) -> Word:
    """One of `What a ...!` and `How ... it is!`."""
    kind = chance.pick(KINDS)
    if chance.hit(0.5):
        subject = nominal(chance, kind, 1, relative).under("nsubj")
        copula = verb_group(
            chance, AUXILIARIES["be"], Form(chance.pick(("Pres", "Past"))), subject
        )[1]
        how = uninflected("how", "ADV", "PronType=Int", "advmod")
        return adjective(chance, kind, 5).plus(
            [how], [subject.word, replace(copula, upos="AUX", deprel="cop")]
        )
    head = nominal(chance, kind, 0, relative)
    what = uninflected("what", "DET", "PronType=Int", "det:predet")
    article = _article(head.word)
    return replace(head.word, left=(what, *article, *head.word.left[1:]))


def _article(head: Word) -> tuple[Word, ...]:
    if head.feats == "Number=Plur":
        return ()
    following = ((head.left[1].left or (head.left[1],))[0] if len(head.left) > 1 else head).form
    return (
        Word("an" if vowel(following) else "a", "a", "DET", "Definite=Ind|PronType=Art", "det"),
    )
