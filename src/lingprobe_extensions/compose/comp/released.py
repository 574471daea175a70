"""The five composition tasks of Ettinger et al. 2018 (sections 6 and 7) as their authors released
them, under the paper's names.

A folder a task, `train.txt` and `test.txt` in it, no dev split: TRUE or FALSE, the sentence's id,
its words, the lemmas asked about. docs/design/composition.md says what is in the files, and what
can be answered without composing anything. Strata are read off the words.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial

from lingprobe import Dataset, Example, Sentence
from lingprobe.extend import ColumnLayout, TaskRelease
from lingprobe_extensions.compose.comp.facts import SENTENCE_ORACLES, FactsOf
from lingprobe_extensions.compose.comp.rules import score_rules
from lingprobe_extensions.compose.readings.find import find_readings
from lingprobe_extensions.compose.readings.reading import SentenceReading

_ANSWERS = (("TRUE", "yes"), ("FALSE", "no"))
_COMPEVAL_VERB = ColumnLayout(
    "label, sentence id, words, asked verb", 4, label=0, text=2, asked=(3,), called=_ANSWERS
)


_COMPEVAL_PAIR = ColumnLayout(
    "label, sentence id, words, asked noun, asked verb",
    5,
    label=0,
    text=2,
    asked=(3, 4),
    called=_ANSWERS,
)
_PROBE = "mlp,protocol=ettinger"
_ASIDE = (
    "absolutely actually always clearly completely entirely fully often quickly really totally ,"
)
"""What stands between auxiliary and verb in the sentences of negation, in rows that no grammar of
ours has.
"""


def label_example_strata(example: Example) -> dict[str, str]:
    """Voice and clause of the asked verb; whether the nouns of the sentence differ in number; where
    the answer is no, which asked word is absent, or what the noun is to the verb.
    """
    reading = find_single_reading(example.sites[0].sentence.words)
    if reading is None:
        return {}
    *nouns, verb = example.asked
    tags = {name: value for name in ("voice", "clause") for value in reading.values(verb, name)[:1]}
    named = {word.of for word in reading.words if word.says == "noun"}
    numbers = {number for noun in named for number in reading.values(noun, "number")}
    tags["number"] = "nouns differ" if len(numbers) > 1 else "nouns have the same"
    if nouns and example.label == "no":
        lemmas = {fact.of for fact in reading.facts}
        absent = [
            f"{kind} absent"
            for kind, word in (("noun", nouns[0]), ("verb", verb))
            if word not in lemmas
        ]
        roles = [role for role in ("agent", "patient") if nouns[0] in reading.values(verb, role)]
        tags["negative"] = next(iter([*absent, *roles]), "unrelated")
    return tags


_PASSING = {"order": ("positions",), "sem-role": ("slots",)}
"""Oracles that stand first, as these sets ask in test about pairs of words that train does not ask
about: only these can pass.
"""


@lru_cache(maxsize=4096)
def find_single_reading(words: tuple[str, ...]) -> SentenceReading | None:
    """The reading of a sentence, adverbs excluded; None where it has none, or several."""
    complete = find_readings([word for word in words if word not in _ASIDE.split()])
    return complete[0] if len(complete) == 1 else None


def list_reading_facts(facts_of: FactsOf, sentence: Sentence) -> Iterator[str]:
    """What an oracle tells of a sentence, by its reading; nothing where it has none."""
    reading = find_single_reading(sentence.words)
    yield from () if reading is None else facts_of(reading)


def _note_rule_scores(dataset: Dataset) -> dict[str, dict[str, float]]:
    return {"rules": score_rules(dataset)}


def _release(file: str, paper: str, asks: str, layout: ColumnLayout) -> TaskRelease:
    first = {name: SENTENCE_ORACLES[paper][name] for name in _PASSING.get(paper, ())}
    oracles = {
        name: (oracle.about, partial(list_reading_facts, oracle.facts))
        for name, oracle in {**first, **SENTENCE_ORACLES[paper]}.items()
    }
    return TaskRelease(
        asks,
        (file, paper),
        layout,
        probe=_PROBE,
        view="mean+asked",
        baselines=("window", "ngrams"),
        strata=label_example_strata,
        told=_note_rule_scores,
        oracles=oracles,
    )


content1 = _release(
    "cont1", "content1", "Does the asked verb occur in the sentence?", _COMPEVAL_VERB
).define_task("comp/released/content1")
content2 = _release(
    "cont2",
    "content2",
    "Do both the asked noun and the asked verb occur in the sentence?",
    _COMPEVAL_PAIR,
).define_task("comp/released/content2")
order = _release(
    "order", "order", "Does the asked noun come before the asked verb?", _COMPEVAL_PAIR
).define_task("comp/released/order")
sem_role = _release(
    "sr", "sem-role", "Is the asked noun the agent of the asked verb?", _COMPEVAL_PAIR
).define_task("comp/released/sem-role")
negation = _release(
    "neg", "negation", "Does what the asked verb says happen, or is it negated?", _COMPEVAL_VERB
).define_task("comp/released/negation")
