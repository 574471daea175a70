"""Controls take the linguistics out and leave the rest as it was."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.controls import CONTROLS, null_value
from sonde.core import SPLITS, DataProblem, Dataset, Example, Sentence, Site
from sonde.targets import Classes
from sonde.testing.tiny import FAMILIES


def zipfian(n=1500, classes="ab", seed=0):
    """Sentences of frequent and rare words; each split has the classes in turn."""
    rng = np.random.default_rng(seed)
    words = np.minimum(rng.zipf(1.4, (n, 12)), 400)
    splits = np.repeat(SPLITS, [n * 10 // 12, n // 12, n - n * 10 // 12 - n // 12])
    examples = [
        Example.about(Sentence.of([*(f"w{w}" for w in row), f"only{i}"]), classes[i % len(classes)], str(split))
        for i, (row, split) in enumerate(zip(words, splits, strict=True))
    ]
    return Dataset.of(examples, {"source": "made up"})


def shares(dataset, split):
    ids = dataset.labels.take(dataset.rows(split)).ids
    return np.bincount(ids, minlength=len(dataset.labels.names)) / len(ids)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("control", ["none", "shuffled", "word-labels,least=1"])
def test_every_control_works_on_every_family(family, control):
    dataset = FAMILIES[family]()
    made = CONTROLS.make(control)
    changed = made(dataset)
    assert type(changed.labels) is type(dataset.labels)
    assert changed.labels.names == dataset.labels.names
    assert len(changed) == len(changed.labels) == len(changed.splits)
    assert changed.sentences == dataset.sentences
    json.dumps(changed.notes)
    again = pickle.loads(pickle.dumps(made))(dataset)
    assert all((a == b).all() for a, b in zip(changed.labels.arrays().values(), again.labels.arrays().values(), strict=True))


def test_none_changes_nothing():
    dataset = zipfian()
    assert CONTROLS.make("none")(dataset) is dataset


def test_shuffling_keeps_every_split_balanced_and_tells_nothing():
    dataset = zipfian()
    changed = CONTROLS.make("shuffled")(dataset)
    for split in SPLITS:
        assert (shares(changed, split) == shares(dataset, split)).all()
    agree = (changed.labels.ids == dataset.labels.ids).mean()
    assert agree == pytest.approx(0.5, abs=0.06)
    assert changed.notes["control"] == {"name": "shuffled", "seed": 0, "null": pytest.approx(0.5, abs=0.01)}
    other = CONTROLS.make("shuffled,seed=1")(dataset)
    assert (other.labels.ids != changed.labels.ids).any()


def keyed(dataset, **options):
    text = ",".join(["word-labels", *(f"{k}={v}" for k, v in options.items())])
    return CONTROLS.make(text)(dataset)


@given(st.integers(0, 50), st.sampled_from(["ab", "abcde"]), st.sampled_from([1, 5, 20]))
def test_the_label_follows_from_the_rarest_shared_word(seed, classes, least):
    dataset = zipfian(600, classes, seed)
    changed = keyed(dataset, least=least, seed=seed)
    count = {s: {} for s in SPLITS}
    for sentence, split in zip(dataset.sentences, dataset.splits, strict=True):
        for word in set(sentence.words):
            count[SPLITS[split]][word] = count[SPLITS[split]].get(word, 0) + 1
    labels = {}
    for i, example in enumerate(changed.examples()):
        usable = [w for w in example.sites[0].sentence.words if count["train"].get(w, 0) >= least and w in count["test"]]
        rarest = min(count["train"][w] for w in usable)
        tied = {w for w in usable if count["train"][w] == rarest}
        labels.setdefault(frozenset(tied) if len(tied) == 1 else i, set()).add(example.label)
    assert all(len(found) == 1 for found in labels.values())


def test_a_key_is_never_a_word_of_one_split():
    notes = keyed(zipfian(), least=1).notes["control"]
    assert notes["keys"] <= 400
    assert notes["keys_of_split"]["train"] <= notes["keys"]


@pytest.mark.parametrize("classes", ["ab", "aab", "abcdefgh"])
def test_classes_of_word_labels_are_as_frequent_as_in_the_task(classes):
    dataset = zipfian(4000, classes)
    changed = keyed(dataset)
    for split in ("train", "test"):
        assert shares(changed, split) == pytest.approx(shares(dataset, split), abs=0.03)
    assert changed.notes["control"]["null"] == pytest.approx(shares(changed, "test").max(), abs=1e-6)


def test_word_labels_can_be_learned_by_remembering_words_and_shuffled_ones_cannot():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    dataset = zipfian(3000)

    def accuracy(data):
        texts = [" ".join(data.sentences[s].words) for s in data.sites[:, 0, 0]]
        x = CountVectorizer(token_pattern=r"\S+", binary=True).fit_transform(texts)
        train, test = data.rows("train"), data.rows("test")
        return LogisticRegression(C=3, max_iter=1000).fit(x[train], data.labels.ids[train]).score(x[test], data.labels.ids[test])

    assert accuracy(keyed(dataset)) > 0.65
    assert accuracy(CONTROLS.make("shuffled")(dataset)) < 0.58


def test_word_labels_say_nothing_about_the_task_or_the_length():
    rng = np.random.default_rng(0)
    examples = []
    for i in range(2000):
        length = int(rng.integers(4, 25))
        words = [f"w{w}" for w in np.minimum(rng.zipf(1.5, length), 200)]
        examples.append(Example.about(Sentence.of([*words, f"x{i}"]), "long" if length > 14 else "short", SPLITS[2 * (i % 6 == 0)]))
    dataset = Dataset.of(examples)
    correlations = []
    for seed in range(12):
        changed = keyed(dataset, seed=seed)
        lengths = [len(changed.sentences[s].words) for s in changed.sites[:, 0, 0]]
        correlations.append(np.corrcoef(lengths, changed.labels.ids)[0, 1])
    assert abs(np.mean(correlations)) < 0.08


def test_words_of_a_span_are_the_key_as_in_hewitt_and_liang():
    rng = np.random.default_rng(0)
    sentences = [Sentence.of([f"w{w}" for w in rng.integers(30, size=6)]) for _ in range(400)]
    dataset = Dataset.of([Example((Site(s, (i % 6, i % 6 + 1)),), "NV"[i % 2], SPLITS[2 * (i % 5 == 0)]) for i, s in enumerate(sentences)])
    labels: dict[str, set[str]] = {}
    for example in keyed(dataset).examples():
        sentence, span = example.sites[0]
        labels.setdefault(sentence.words[span[0]], set()).add(example.label)
    assert all(len(found) == 1 for found in labels.values())
    assert set.union(*labels.values()) == {"N", "V"}


def test_case_does_not_make_another_word():
    dataset = Dataset.of([Example.about(Sentence.of([["The", "the"][i % 2]]), "ab"[i % 2], SPLITS[2 * (i % 3 == 0)]) for i in range(60)])
    assert keyed(dataset, least=1).notes["control"]["keys"] == 1


def test_examples_without_a_key_are_left_out_and_counted():
    dataset = Dataset.of(
        [
            Example.about(Sentence.of(["alone" + str(i)] if i < 10 else [f"w{i % 4}"]), "ab"[i % 2], SPLITS[2 * (i % 5 == 0)])
            for i in range(200)
        ]
    )
    changed = keyed(dataset)
    notes = changed.notes["control"]
    assert (len(changed), notes["left_out"], notes["keys"]) == (190, 10, 4)
    assert notes["covered"] == {"train": 0.95, "test": 0.95}


def test_nothing_in_common_is_said():
    dataset = Dataset.of([Example.about(Sentence.of([str(i)]), "ab"[i % 2], SPLITS[2 * (i % 2)]) for i in range(20)])
    with pytest.raises(DataProblem, match="share no word"):
        keyed(dataset, least=1)


def test_the_null_value_is_that_of_the_commonest_class_of_test():
    dataset = zipfian(60, "aab")
    assert null_value(dataset) == pytest.approx(shares(dataset, "test").max(), abs=1e-6)
    assert null_value(FAMILIES["pair"]()) == 0.0
    assert null_value(FAMILIES["span"]()) is None
    assert isinstance(dataset.labels, Classes)


def test_controls_list_what_they_are():
    assert set(CONTROLS) == {"none", "shuffled", "word-labels", "random-asked"}
    assert CONTROLS.canonical("shuffled") == "shuffled,seed=0"
    assert CONTROLS.canonical("word-labels,seed=3") == "word-labels,least=none,seed=3"
    assert all(CONTROLS.find(name).__doc__ for name in CONTROLS)


def test_random_asked_words_are_any_of_the_vocabulary_and_nothing_else_changes():
    words = ("run", "dog", "cat")
    examples = [Example((Site(Sentence.of([f"s{i}"])),), "yn"[i % 2], SPLITS[i % 3], (words[0], words[1 + i % 2])) for i in range(600)]
    dataset = Dataset.of(examples)
    changed = CONTROLS.make("random-asked")(dataset)
    counts = np.array([np.bincount(slot, minlength=3) for slot in changed.asked.T])
    assert (abs(counts - 200) < 60).all()
    assert changed.vocabulary == dataset.vocabulary
    assert (changed.labels.ids == dataset.labels.ids).all()
    assert (CONTROLS.make("random-asked,seed=1")(dataset).asked != changed.asked).any()
    assert changed.notes["control"] == {"name": "random-asked", "seed": 0, "null": 0.5}
    with pytest.raises(DataProblem, match="asks about no words"):
        CONTROLS.make("random-asked")(zipfian())
