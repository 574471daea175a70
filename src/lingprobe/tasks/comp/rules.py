"""Rules that see the order of words and no structure: what a set about meaning must not give away,
and what they say of each example of a set, whoever built it.

A rule of thumb looks at where the asked words stand among nouns, verbs and a few small words, and
says yes or no of each example [n]. Words are known by the lexicons of the sentence generator, or by
one of the user's own. Which answer a rule speaks for is not said here: it is learnt from train, so
a rule that is right by being wrong is found as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

import numpy as np

from lingprobe.core import Dataset
from lingprobe.generation.events.english import english
from lingprobe.generation.events.lexicon import Lexicon
from lingprobe.generation.events.polish import polish
from lingprobe.tasks.comp.shallow import (
    BY,
    LINKS,
    NEGATIONS,
    NOT,
    NOUNS,
    VERBS,
    Flags,
    LearntRule,
    Seen,
    features,
    learnt_rules,
    same_features,
    tags_of,
)
from lingprobe.vectors import Ints

Rule = Callable[[Seen], Flags]


def _same(one: Ints, other: Ints) -> Flags:
    """Whether two places are the same [n]."""
    return np.asarray(one == other, np.bool_)


def _index(seen: Seen) -> Ints:
    return np.arange(seen.codes.shape[1])


def _noun(seen: Seen) -> Ints:
    return seen.places[:, 0]


def _verb(seen: Seen) -> Ints:
    return seen.places[:, -1]


def _after(where: Flags, start: Ints) -> Ints:
    """The first of some places after another [n]; -1 where there is none."""
    later = where & (np.arange(where.shape[1]) > start[:, None])
    return np.where(later.any(1), later.argmax(1), -1)


def _before(where: Flags, stop: Ints) -> Ints:
    """The last of some places before another [n]; -1 where there is none."""
    earlier = where & (np.arange(where.shape[1]) < stop[:, None])
    return np.where(earlier.any(1), where.shape[1] - 1 - earlier[:, ::-1].argmax(1), -1)


def _nearest(where: Flags, to: Ints) -> Ints:
    """The nearest of some places [n]; of two that are, the one before."""
    away = np.abs(np.arange(where.shape[1]) - to[:, None])
    return np.asarray(np.where(where, away, where.shape[1]).argmin(1), np.int64)


def _by_follows(seen: Seen) -> Flags:
    return np.asarray(np.isin(seen.at(_verb(seen) + 1), BY), np.bool_)


def _of_negations(
    seen: Seen, some: tuple[str, ...], verb_of: Callable[[Flags, Ints], Ints]
) -> Flags:
    """Whether the verb is the one that goes with some negation [n]."""
    verbs, negated = seen.are(VERBS), seen.are(some)
    rows, places = np.nonzero(negated)
    hits = verb_of(verbs[rows], places) == _verb(seen)[rows]
    says = np.zeros(len(negated), bool)
    np.logical_or.at(says, rows, hits)
    return says


def before_verb(seen: Seen) -> Flags:
    """The noun stands before the verb."""
    return _noun(seen) < _verb(seen)


def nearest_left(seen: Seen) -> Flags:
    """The noun is the nearest one before the verb."""
    return _same(_noun(seen), _before(seen.are(NOUNS), _verb(seen)))


def nearest(seen: Seen) -> Flags:
    """The noun is the nearest one, on either side; of two that are, the one before."""
    return _same(_noun(seen), _nearest(seen.are(NOUNS), _verb(seen)))


def nearest_or_by(seen: Seen) -> Flags:
    """The noun is the nearest one before the verb, or after "by" where that follows the verb."""
    nouns, verb = seen.are(NOUNS), _verb(seen)
    return _same(
        _noun(seen), np.where(_by_follows(seen), _after(nouns, verb), _before(nouns, verb))
    )


def after_by(seen: Seen) -> Flags:
    """The noun is the first one after the first "by"."""
    by = seen.are(BY)
    return by.any(1) & _same(_noun(seen), _after(seen.are(NOUNS), by.argmax(1)))


def before_unless_by(seen: Seen) -> Flags:
    """The noun stands before the verb, or after it where "by" follows the verb."""
    return before_verb(seen) ^ _by_follows(seen)


def first_noun(seen: Seen) -> Flags:
    """The noun is the first one."""
    return _same(_noun(seen), seen.are(NOUNS).argmax(1))


def last_noun(seen: Seen) -> Flags:
    """The noun is the last one."""
    return _same(
        _noun(seen), _before(seen.are(NOUNS), np.full(len(seen.codes), seen.codes.shape[1]))
    )


def heads_relative(seen: Seen) -> Flags:
    """The noun stands right before "that" or "who", but for a comma."""
    next_ = seen.at(_noun(seen) + 1)
    return np.isin(np.where(next_ == ",", seen.at(_noun(seen) + 2), next_), LINKS)


def after_not(seen: Seen) -> Flags:
    """The verb is the first one after some "not"."""
    return _of_negations(seen, NOT, _after)


def after_negation(seen: Seen) -> Flags:
    """The verb is the first one after some "not" or "no"."""
    return _of_negations(seen, NEGATIONS, _after)


def last_before_negation(seen: Seen) -> Flags:
    """The verb is the last one before some "not" or "no"."""
    return _of_negations(seen, NEGATIONS, _before)


def nearest_to_negation(seen: Seen) -> Flags:
    """No verb is nearer to a "not" or "no"."""
    return _of_negations(seen, NEGATIONS, _nearest)


def anywhere_after_negation(seen: Seen) -> Flags:
    """The verb stands somewhere after a "not" or "no"."""
    return np.asarray(
        (seen.are(NEGATIONS) & (_index(seen) < _verb(seen)[:, None])).any(1), np.bool_
    )


def first_verb(seen: Seen) -> Flags:
    """The verb is the first one."""
    return _same(_verb(seen), seen.are(VERBS).argmax(1))


def last_verb(seen: Seen) -> Flags:
    """The verb is the last one."""
    return _same(
        _verb(seen), _before(seen.are(VERBS), np.full(len(seen.codes), seen.codes.shape[1]))
    )


ROLE_RULES: Final[Mapping[str, Rule]] = {
    "before the verb": before_verb,
    "nearest noun": nearest,
    "nearest noun before, or first after by": nearest_or_by,
    "first after by": after_by,
    "nearest noun before the verb": nearest_left,
    "before the verb unless by follows": before_unless_by,
    "first noun": first_noun,
    "last noun": last_noun,
    "before that": heads_relative,
}
ORDER_RULES: Final[Mapping[str, Rule]] = {
    "nearest noun": nearest,
    "first after by": after_by,
    "before that": heads_relative,
}
NEGATION_RULES: Final[Mapping[str, Rule]] = {
    "verb after not": after_not,
    "verb after not or no": after_negation,
    "last verb before not or no": last_before_negation,
    "verb nearest to not or no": nearest_to_negation,
    "after not or no": anywhere_after_negation,
    "first verb": first_verb,
    "last verb": last_verb,
}


RULES: Mapping[tuple[str, ...], Mapping[str, Rule]] = {
    ("noun", "verb"): ROLE_RULES,
    ("verb",): NEGATION_RULES,
}
"""What is asked about, a kind a slot -> rules of thumb by name."""
TRAIN = 10_000  # examples that rules are learnt from, at most


def seen(dataset: Dataset, lexicon: Lexicon | None = None) -> Seen | None:
    """The examples as a shallow reader has them; None where words are not asked about, not all
    known, or do not all occur.
    """
    known = lexicon or lexicon_of(dataset)
    if not dataset.of_sentences or not all(kinds(dataset, known)):
        return None
    lemmas, tags = _lemmas(known), tags_of(known)
    words = [[word.lower() for word in sentence.words] for sentence in dataset.sentences]
    asked_forms = [
        frozenset().union(*(forms.get(lemma, frozenset()) for forms in lemmas.values()))
        for lemma in dataset.vocabulary
    ]
    rows = dataset.sites[:, 0, 0].tolist()
    places = [
        [_place(words[s], asked_forms[w]) for w in slots]
        for s, slots in zip(rows, dataset.asked.tolist(), strict=True)
    ]
    sentences = Seen.of(
        [[tags.get(word, word) for word in sentence] for sentence in words], [[0]] * len(words)
    )
    examples = sentences.take(dataset.sites[:, 0, 0])._replace(
        places=np.array(places, np.int64).reshape(len(dataset), -1)
    )
    return examples if (examples.places >= 0).all() else None


def lexicon_of(dataset: Dataset) -> Lexicon:
    """That of the first language of ours that has all asked words; English where none has."""
    ours = english().lexicon, polish().lexicon
    return next((lexicon for lexicon in ours if all(kinds(dataset, lexicon))), ours[0])


def kinds(dataset: Dataset, lexicon: Lexicon) -> tuple[str, ...]:
    """What each slot asks about: 'noun', 'verb' or 'adjective'; '' for what is none."""
    slots = [{dataset.vocabulary[w] for w in np.unique(slot)} for slot in dataset.asked.T]
    return tuple(
        next((kind for kind, forms in _lemmas(lexicon).items() if words <= forms.keys()), "")
        for words in slots
    )


def held(dataset: Dataset, lexicon: Lexicon | None = None) -> dict[str, Flags]:
    """Rule of thumb -> whether it says yes, [examples]."""
    examples = seen(dataset, lexicon)
    rules = RULES.get(kinds(dataset, lexicon or lexicon_of(dataset)), {})
    return {} if examples is None else {name: rule(examples) for name, rule in rules.items()}


def right(dataset: Dataset, lexicon: Lexicon | None = None) -> dict[str, float]:
    """Rule, of thumb or learnt -> the share of test that it is right about, as it was taught by
    train; rounded.

    A rule of thumb that says the same of all examples is about something else, so it is left out.
    """
    train, test = (dataset.rows(split) for split in ("train", "test"))
    if dataset.labels.classes is None or not len(train) or not len(test):
        return {}
    shares, labels = {}, dataset.labels.matrix()
    for name, says in (
        (name, says)
        for name, says in held(dataset, lexicon).items()
        if says.any() and not says.all()
    ):
        counts = np.zeros((2, len(dataset.labels.names)), np.int64)
        np.add.at(counts, (says[train].astype(np.int64), labels[train]), 1)
        answers = np.where(counts.any(1), counts.argmax(1), counts.sum(0).argmax())
        shares[name] = round(
            float((answers[says[test].astype(np.int64)] == labels[test]).mean()), 4
        )
    for rule, says in taught(dataset.take(train), dataset.take(test), lexicon):
        shares[rule.name] = round(float((says == (labels[test] == 1)).mean()), 4)
    return shares


def taught(
    train: Dataset, test: Dataset, lexicon: Lexicon | None = None
) -> list[tuple[LearntRule, Flags]]:
    """The rules that are learnt from the training examples (some, where there are many), and what
    they say of the test examples.

    Nothing where labels are not two classes, or where words are not known.
    """
    known, new = seen(train, lexicon), seen(test, lexicon)
    if (
        known is None
        or new is None
        or train.labels.classes is None
        or len(train.labels.names) != len(("no", "yes"))
    ):
        return []
    rows = np.sort(np.random.default_rng([0, 5]).permutation(len(train))[:TRAIN])
    table = features(known.take(rows))
    holds = same_features(new, table.names).holds
    return [
        (rule, rule.says(holds)) for rule in learnt_rules(table, train.labels.classes[rows] == 1)
    ]


def _place(words: list[str], forms: frozenset[str]) -> int:
    """Where one of some forms stands first; -1 where none does."""
    return next((i for i, word in enumerate(words) if word in forms), -1)


@cache
def _lemmas(lexicon: Lexicon) -> dict[str, dict[str, frozenset[str]]]:
    """Kind -> lemma -> its forms."""
    by_kind: dict[str, dict[str, frozenset[str]]] = {"noun": {}, "verb": {}, "adjective": {}}
    for kind, lemmas in by_kind.items():
        for entry in lexicon.entries[kind]:
            lemmas[entry.lemma] = lemmas.get(entry.lemma, frozenset()) | set(entry.forms)
    return by_kind
