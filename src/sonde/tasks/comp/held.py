"""What rules that see the order of words, and no structure, say of each example of a set, whoever
built it.

Words are known by the lexicons of the sentence generator, or by one of the user's own. Which answer
a rule of thumb speaks for is not said here: it is learnt from train, so a rule that is right by
being wrong is found as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from sonde.core import Dataset
from sonde.generation.events.english import english
from sonde.generation.events.lexicon import Lexicon
from sonde.generation.events.polish import polish
from sonde.tasks.comp.learnt import LearntRule, learnt_rules
from sonde.tasks.comp.rules import NEGATION_RULES, ROLE_RULES, Rule
from sonde.tasks.comp.shallow import Flags, Seen, features, same_features, tags_of

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
    if (
        dataset.sites.shape[1] != 1
        or (dataset.sites[:, :, 1] >= 0).any()
        or not all(kinds(dataset, known))
    ):
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
