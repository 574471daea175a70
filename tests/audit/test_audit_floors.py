"""What is scored without an encoder, and what it means where sentences were altered."""

import re

import numpy as np
import pytest

from lingprobe.audit.floors import (
    _TEST,
    _TRAIN,
    SplitHalves,
    number_examples,
    predict_from_characters,
)
from lingprobe.audit.inspection import audit_dataset
from lingprobe.data.core import Dataset, Example, Sentence
from lingprobe.testing import TINY_DATASET_FAMILIES

SIZES = (("train", 600), ("dev", 100), ("test", 300))


def made(altered, note=True, seed=0):
    """Sentences of random words, half of them altered in some way; the task says so in its
    notes.
    """
    rng = np.random.default_rng(seed)
    examples = []
    for split, n in SIZES:
        for k in range(n):
            words = [f"w{w}" for w in rng.integers(200, size=8)]
            examples.append(
                Example.about(
                    Sentence.of(altered(words, rng) if k % 2 else words),
                    "I" if k % 2 else "O",
                    split,
                )
            )
    return Dataset.of(examples, {"altered": "I"} if note else {})


def leaks(dataset):
    return [
        problem
        for problem in audit_dataset(dataset).problems
        if "altered" in problem or "reaches" in problem
    ]


def test_sentences_altered_without_a_trace_leave_floors_at_chance():
    assert leaks(made(lambda words, rng: list(rng.permutation(words)))) == []


def test_a_word_that_only_altered_sentences_have_is_a_leak():
    problem, *_ = leaks(made(lambda words, rng: [*words[:-1], "odd"]))
    assert problem.startswith("words (Naive Bayes) separates altered sentences from others, ")


def test_length_that_alteration_changes_is_a_leak():
    assert any(
        p.startswith("length alone separates altered")
        for p in leaks(made(lambda words, rng: words[:5]))
    )


def test_capitals_that_give_alterations_away_are_a_leak_that_words_do_not_show():
    (problem,) = leaks(made(lambda words, rng: [words[0], words[1].capitalize(), *words[2:]]))
    assert problem.startswith(
        "characters, 1 to 5 in a row (linear) separate altered sentences from others, "
    )


def test_neighbouring_words_that_tell_altered_sentences_stand_out_though_no_word_does():
    def swapped(words, rng):
        return [*words[:3], words[4], words[3], *words[5:]]

    def ordered(altered, seed=0):
        """Words come in fixed pairs, so that two that changed places were never neighbours in an
        unaltered sentence.
        """
        rng, examples = np.random.default_rng(seed), []
        for split, n in SIZES:
            for k in range(n):
                words = [f"w{w + i}" for w in 2 * rng.integers(20, size=4) for i in (0, 1)]
                examples.append(
                    Example.about(
                        Sentence.of(altered(words, rng) if k % 2 else words),
                        "I" if k % 2 else "O",
                        split,
                    )
                )
        return Dataset.of(examples, {"altered": "I"})

    (problem,) = (p for p in leaks(ordered(swapped)) if p.startswith("words and bigrams"))
    assert "adjacent words" in problem
    assert not any(p.startswith("words (Naive Bayes)") for p in leaks(ordered(swapped)))


def test_where_nothing_is_altered_words_are_a_confound_only_beyond_the_best_constant():
    one, problem = leaks(made(lambda words, rng: [*words[:-1], "odd"], note=False))
    assert re.fullmatch(r"one word: \w+ with 'odd', else \w+ reaches 1\.000 .*", one)
    assert re.fullmatch(
        r"words \(Naive Bayes\) reaches 0\.\d+ \[0\.\d+, 0\.\d+\] accuracy, the best constant"
        r" 0\.500",
        problem,
    )


def test_two_balanced_classes_are_answered_best_with_both_where_pairs_are_counted():
    dataset = made(lambda words, rng: words, note=False)
    floors = audit_dataset(dataset, metric="micro-f1").floors
    assert floors["constant"].score == pytest.approx(0.5)
    assert floors["set"].score == pytest.approx(2 / 3)
    assert "set" not in audit_dataset(dataset).floors  # of accuracy, one answer alone can be right


def test_a_best_constant_set_of_one_label_is_the_best_constant():
    dataset = Dataset.of(
        Example.about(Sentence.of([f"{split}{k}"]), "xyyyyyyy"[k % 8], split)
        for split in ("train", "test")
        for k in range(16)
    )
    floors = audit_dataset(dataset, metric="micro-f1").floors
    assert (floors["constant"].score, "set" in floors) == (pytest.approx(7 / 8), False)


def test_characters_answer_scores_on_their_own_scale():
    dataset = Dataset.of(Example.about(Sentence.of(["abc"[k % 3] * 9]), k % 3) for k in range(60))
    gold, said, _ = predict_from_characters(dataset, dataset)
    assert said.matrix().ravel() == pytest.approx(gold.matrix().ravel(), abs=0.2)


def test_large_data_are_read_in_part_for_characters_which_is_said():
    dataset = Dataset.of(
        Example.about(Sentence.of([f"w{k}"]), "xy"[k % 2]) for k in range(_TRAIN + 1)
    )
    gold, said, about = predict_from_characters(dataset, dataset)
    assert len(gold) == len(said) == _TEST
    assert about == "on 20,000 of 20,001 examples of train and 5,000 of 20,001 examples of test"
    assert predict_from_characters(dataset.take(np.arange(9)), dataset.take(np.arange(4)))[2] == ""


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_runs_of_characters_are_those_of_scikit_learn_but_for_their_columns(family):
    from sklearn.feature_extraction.text import CountVectorizer

    from lingprobe.audit.floors import _count_ngrams, _list_site_texts

    dataset = TINY_DATASET_FAMILIES[family]()
    sites = [
        CountVectorizer(analyzer="char", ngram_range=(1, 5), lowercase=False)
        for _ in range(dataset.sites.shape[1])
    ]
    theirs = sum(v.fit_transform(_list_site_texts(dataset, k)).sum(1) for k, v in enumerate(sites))
    ours = _count_ngrams(dataset).sum(1)
    if not dataset.asked.shape[1]:
        assert np.asarray(ours).ravel().tolist() == np.asarray(theirs).ravel().tolist()


def test_many_classes_are_told_apart_by_characters_too():
    dataset = Dataset.of(
        Example.about(
            Sentence.of([f"w{k % 60}q", f"v{k % 7}"]), f"c{k % 60}", "train" if k < 1200 else "test"
        )
        for k in range(1320)
    )
    halves = SplitHalves.of(dataset)
    gold, said, _ = predict_from_characters(halves.train, halves.test)
    assert (gold.ids == said.ids).mean() > 0.9


def test_where_train_has_but_one_class_characters_answer_that():
    dataset = Dataset.of(
        Example.about(Sentence.of([f"w{k}"]), "x" if k == 9 else "y") for k in range(10)
    )
    train, test = dataset.take(np.arange(9)), dataset.take(np.arange(8, 10))
    assert predict_from_characters(train, test)[1].class_names() == ["y", "y"]


def test_examples_have_an_order_of_their_own():
    dataset = (
        TINY_DATASET_FAMILIES["asked"]()
        if "asked" in TINY_DATASET_FAMILIES
        else TINY_DATASET_FAMILIES["sentence"]()
    )
    order = np.random.default_rng(0).permutation(len(dataset))
    one, other = (
        list(d.take(number_examples(d)).examples()) for d in (dataset, dataset.take(order))
    )
    assert [(e.sites, e.label, e.asked) for e in one] == [
        (e.sites, e.label, e.asked) for e in other
    ]


def pooled(shares, seed=0):
    """Examples of some sources, by the share that label I has in each; nothing else tells labels
    apart.
    """
    rng = np.random.default_rng(seed)
    examples = []
    for split, n in SIZES:
        for k in range(n):
            name = list(shares)[k % len(shares)]
            label = "I" if rng.random() < shares[name] else "O"
            examples.append(
                Example.about(
                    Sentence.of([f"w{w}" for w in rng.integers(200, size=8)]),
                    label,
                    split,
                    source=name,
                )
            )
    return Dataset.of(examples)


def test_sources_of_opposite_labels_are_named():
    audit = audit_dataset(pooled({"news": 0.8, "mail": 0.2}))
    assert audit.floors["source"].score == pytest.approx(0.8, abs=0.06)
    (problem,) = [p for p in audit.problems if "source" in p]
    assert problem.startswith("the source alone reaches 0.")
    assert problem.endswith("so report by source")


@pytest.mark.parametrize("altered", [{}, {"altered": "I"}])
def test_sources_of_one_mix_of_labels_are_shown_and_not_named(altered):
    audit = audit_dataset(pooled({"news": 0.5, "mail": 0.5}).with_notes(**altered))
    assert audit.floors["source"].score == pytest.approx(0.5, abs=0.08)
    assert not [p for p in audit.problems if "source" in p]


def test_one_source_is_no_floor():
    audit = audit_dataset(pooled({"news": 0.8}))
    assert "source" not in audit.floors
    assert not [p for p in audit.problems if "source" in p]
