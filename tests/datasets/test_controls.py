"""Controls take the linguistics out and leave the rest as it was."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Example, Sentence, Site
from lingprobe.data.labels import Classes
from lingprobe.data.notes import ByParser
from lingprobe.data.references import ReferenceProblem
from lingprobe.datasets.controls import CONTROLS, null_value
from lingprobe.testing.tiny import TINY_DATASET_FAMILIES


def zipfian(n=1500, classes="ab", seed=0):
    """Sentences of frequent and rare words; each split has the classes in turn."""
    rng = np.random.default_rng(seed)
    words = np.minimum(rng.zipf(1.4, (n, 12)), 400)
    splits = np.repeat(DATA_SPLITS, [n * 10 // 12, n // 12, n - n * 10 // 12 - n // 12])
    examples = [
        Example.about(
            Sentence.of([*(f"w{w}" for w in row), f"only{i}"]),
            classes[i % len(classes)],
            str(split),
        )
        for i, (row, split) in enumerate(zip(words, splits, strict=True))
    ]
    return Dataset.of(examples, {"source": "made up"})


def shares(dataset, split):
    ids = dataset.labels.take(dataset.rows(split)).ids
    return np.bincount(ids, minlength=len(dataset.labels.names)) / len(ids)


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
@pytest.mark.parametrize("control", ["none", "shuffled", "word-labels,least=1"])
def test_every_control_works_on_every_family(family, control):
    dataset = TINY_DATASET_FAMILIES[family]()
    made = CONTROLS.make(control)
    changed = made(dataset)
    assert type(changed.labels) is type(dataset.labels)
    assert changed.labels.names == dataset.labels.names
    assert len(changed) == len(changed.labels) == len(changed.splits)
    assert changed.sentences == dataset.sentences
    json.dumps(dict(changed.notes))
    again = pickle.loads(pickle.dumps(made))(dataset)
    assert all(
        (a == b).all()
        for a, b in zip(
            changed.labels.arrays().values(), again.labels.arrays().values(), strict=True
        )
    )


def test_none_changes_nothing():
    dataset = zipfian()
    assert CONTROLS.make("none")(dataset) is dataset


def test_shuffling_keeps_every_split_balanced_and_tells_nothing():
    dataset = zipfian()
    changed = CONTROLS.make("shuffled")(dataset)
    for split in DATA_SPLITS:
        assert (shares(changed, split) == shares(dataset, split)).all()
    agree = (changed.labels.ids == dataset.labels.ids).mean()
    assert agree == pytest.approx(0.5, abs=0.06)
    assert changed.notes["control"] == {
        "name": "shuffled",
        "seed": 0,
        "null": pytest.approx(0.5, abs=0.01),
    }
    other = CONTROLS.make("shuffled,seed=1")(dataset)
    assert (other.labels.ids != changed.labels.ids).any()


def keyed(dataset, **options):
    text = ",".join(["word-labels", *(f"{k}={v}" for k, v in options.items())])
    return CONTROLS.make(text)(dataset)


@given(st.integers(0, 50), st.sampled_from(["ab", "abcde"]), st.sampled_from([1, 5, 20]))
def test_the_label_follows_from_the_rarest_shared_word(seed, classes, least):
    dataset = zipfian(600, classes, seed)
    changed = keyed(dataset, least=least, seed=seed)
    count = {s: {} for s in DATA_SPLITS}
    for sentence, split in zip(dataset.sentences, dataset.splits, strict=True):
        for word in set(sentence.words):
            count[DATA_SPLITS[split]][word] = count[DATA_SPLITS[split]].get(word, 0) + 1
    labels = {}
    for i, example in enumerate(changed.examples()):
        usable = [
            w
            for w in example.sites[0].sentence.words
            if count["train"].get(w, 0) >= least and w in count["test"]
        ]
        if not usable:
            assert example.strata["key seen"] == "no"
            continue
        rarest = min(count["train"][w] for w in usable)
        tied = {w for w in usable if count["train"][w] == rarest}
        labels.setdefault(frozenset(tied) if len(tied) == 1 else i, set()).add(example.label)
    assert all(len(found) == 1 for found in labels.values())


def test_a_key_of_sentences_is_never_a_word_of_one_split():
    notes = keyed(zipfian(), least=1).notes["control"]
    assert notes["keys"] <= 400
    assert "not of the paper" in notes["definition"]


@pytest.mark.parametrize("classes", ["ab", "aab", "abcdefgh"])
def test_classes_of_word_labels_are_as_frequent_as_in_the_task(classes):
    dataset = zipfian(4000, classes)
    changed = keyed(dataset)
    for split in ("train", "test"):
        assert shares(changed, split) == pytest.approx(shares(dataset, split), abs=0.03)
    assert changed.notes["control"]["null"] == pytest.approx(
        shares(changed, "test").max(), abs=1e-6
    )


def test_word_labels_can_be_learned_by_remembering_words_and_shuffled_ones_cannot():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    dataset = zipfian(3000)

    def accuracy(data):
        texts = [" ".join(data.sentences[s].words) for s in data.sites[:, 0, 0]]
        x = CountVectorizer(token_pattern=r"\S+", binary=True).fit_transform(texts)
        train, test = data.rows("train"), data.rows("test")
        return (
            LogisticRegression(C=3, max_iter=1000)
            .fit(x[train], data.labels.ids[train])
            .score(x[test], data.labels.ids[test])
        )

    assert accuracy(keyed(dataset)) > 0.65
    assert accuracy(CONTROLS.make("shuffled")(dataset)) < 0.58


def test_word_labels_say_nothing_about_the_task_or_the_length():
    rng = np.random.default_rng(0)
    examples = []
    for i in range(2000):
        length = int(rng.integers(4, 25))
        words = [f"w{w}" for w in np.minimum(rng.zipf(1.5, length), 200)]
        examples.append(
            Example.about(
                Sentence.of([*words, f"x{i}"]),
                "long" if length > 14 else "short",
                DATA_SPLITS[2 * (i % 6 == 0)],
            )
        )
    dataset = Dataset.of(examples)
    correlations = []
    for seed in range(12):
        changed = keyed(dataset, seed=seed)
        lengths = [len(changed.sentences[s].words) for s in changed.sites[:, 0, 0]]
        correlations.append(np.corrcoef(lengths, changed.labels.ids)[0, 1])
    assert abs(np.mean(correlations)) < 0.08


def words_in_spans(seed=0, types=300, n=4000, shares=(0.6, 0.3, 0.1)):
    """Spans of one word, types by Zipf; `Of` and `of` are among them. A fifth is for test, with
    types of its own.
    """
    rng = np.random.default_rng(seed)
    names = np.array(["N", "V", "A"])
    examples = []
    for i in range(n):
        split = DATA_SPLITS[2 * (i % 5 == 0)]
        word = (
            f"w{min(int(rng.zipf(1.3)), types)}"
            if rng.random() < 0.95
            else f"{split}{rng.integers(40)}"
        )
        word = ("Of", "of")[i % 2] if rng.random() < 0.02 else word
        at = int(rng.integers(3))
        sentence = Sentence.of([*["x"] * at, word, *["y"] * (3 - at), str(i)])
        examples.append(
            Example((Site(sentence, (at, at + 1)),), str(rng.choice(names, p=shares)), split)
        )
    return Dataset.of(examples)


def spanned(dataset, site=0, case=True):
    """The last word of each example's span."""
    words = [dataset.sentences[s].words[stop - 1] for s, _, stop in dataset.sites[:, site]]
    return words if case else [w.casefold() for w in words]


@given(st.integers(0, 30))
def test_spans_of_one_word_have_hewitt_and_liangs_control(seed):
    """A label for every type, those of test alone too, and every example kept in its place."""
    dataset = words_in_spans(n=800)
    changed = keyed(dataset, seed=seed)
    assert (changed.sites == dataset.sites).all()
    assert (changed.splits == dataset.splits).all()
    labels = {}
    for word, label in zip(spanned(dataset), changed.labels.ids.tolist(), strict=True):
        assert labels.setdefault(word, label) == label
    assert changed.notes["control"]["keys"] == len(labels)
    assert (
        changed.notes["control"]["definition"] == "a label for each word type (Hewitt & Liang 2019)"
    )
    train = {
        word for word, split in zip(spanned(dataset), dataset.splits, strict=True) if split == 0
    }
    seen = [
        name == "yes"
        for name in np.array(changed.strata["key seen"].names)[changed.strata["key seen"].codes]
    ]
    assert seen == [word in train for word in spanned(dataset)]
    test = dataset.rows("test")
    assert changed.notes["control"]["keys seen"] == pytest.approx(
        np.mean(np.array(seen)[test]), abs=1e-6
    )
    assert any(not s for s in seen)


def test_spans_of_first_words_are_spans_and_no_sentences():
    examples = [
        Example((Site(Sentence.of([f"w{i % 9}", "x", "y"]), (0, 1)),), "ab"[i % 2], split)
        for split in DATA_SPLITS
        for i in range(40)
    ]
    changed = keyed(Dataset.of(examples))
    assert changed.notes["control"]["keys"] == 9
    assert "Hewitt & Liang" in changed.notes["control"]["definition"]


def test_a_word_that_one_test_example_has_is_a_key():
    examples = [Example.about(Sentence.of([f"s{i}", "key"]), "ab"[i % 2]) for i in range(20)]
    examples.append(Example.about(Sentence.of(["t", "key"]), "a", "test"))
    changed = keyed(Dataset.of(examples), least=20)
    assert len({*changed.labels.ids.tolist()}) == 1
    assert changed.notes["control"]["keys"] == 1


def test_the_most_frequent_word_is_a_key_of_its_own_where_all_words_are_keys():
    often, both = Sentence.of(["often"]), Sentence.of(["often", "rare"])
    train = [Example.about((often, both)[i % 2], "ab"[i % 2]) for i in range(20)]
    test = [Example.about(sentence, "a", "test") for sentence in (often, both)]
    changed = keyed(Dataset.of([*train, *test]), least=10)
    assert changed.notes["control"]["keys"] == 2


def test_labels_of_types_are_drawn_independently_from_the_training_labels():
    """Not dealt out: over many draws a type has each label as often as training tokens have it,
    whatever others have.
    """
    dataset = words_in_spans(n=1500)
    shares = np.bincount(dataset.labels.ids[dataset.rows("train")], minlength=3) / len(
        dataset.rows("train")
    )
    words = np.array(spanned(dataset))
    alone = next(word for word in words if word.startswith("test"))
    # the two commonest, and one of test alone
    types = [np.flatnonzero(words == w)[0] for w in ("w1", "w2", alone, "of", "Of")]
    drawn = np.array([keyed(dataset, seed=seed).labels.ids[types] for seed in range(600)])
    for column in drawn.T:
        assert np.bincount(column, minlength=3) / 600 == pytest.approx(shares, abs=0.08)
    together = np.mean(drawn[:, 0] == drawn[:, 1])
    assert together == pytest.approx((shares**2).sum(), abs=0.08)
    assert np.mean(drawn[:, 3] == drawn[:, 4]) < 0.7  # Of and of are two types


def test_who_remembers_words_knows_those_of_train_and_no_others():
    dataset = words_in_spans()
    changed = keyed(dataset)
    words, ids = np.array(spanned(dataset)), changed.labels.ids
    known = {words[i]: ids[i] for i in dataset.rows("train")}
    guess = np.bincount(ids[dataset.rows("train")]).argmax()
    right = np.array([known.get(w, guess) == label for w, label in zip(words, ids, strict=True)])
    seen, test = changed.strata["key seen"].codes == 0, dataset.splits == 2
    assert right[test & seen].all()
    assert right[test & ~seen].mean() < 0.8
    assert 0.9 < seen[test].mean() < 1


def two_spans(about=None, n=600):
    rng = np.random.default_rng(1)
    examples = []
    for i in range(n):
        words = [f"w{w}" for w in rng.integers(12, size=8)]
        sites = (
            Site(sentence := Sentence.of([*words, str(i)]), (1, 2)),
            Site(sentence, (3, 3 + 1 + i % 3)),
        )
        examples.append(Example(sites, "ab"[i % 2], DATA_SPLITS[2 * (i % 5 == 0)]))
    return Dataset.of(examples, {} if about is None else {"about": about})


@pytest.mark.parametrize(
    ("about", "options", "told", "key"),
    [
        (None, {}, "last word of the second span; not of the paper", lambda d: spanned(d, 1)),
        (
            0,
            {},
            "a label for each type of the word of the first span; not of the paper",
            lambda d: spanned(d, 0),
        ),
        (
            0,
            {"key": "pair"},
            "pair of words",
            lambda d: list(zip(spanned(d, 0), spanned(d, 1), strict=True)),
        ),
    ],
)
def test_of_two_spans_the_key_is_the_word_that_the_label_is_about_or_both(
    about, options, told, key
):
    dataset = two_spans(about)
    changed = keyed(dataset, **options)
    labels = {}
    for word, label in zip(key(dataset), changed.labels.ids.tolist(), strict=True):
        assert labels.setdefault(word, label) == label
    assert len(labels) == changed.notes["control"]["keys"]
    assert told in changed.notes["control"]["definition"]
    assert len(changed) == len(dataset)


def test_a_pair_needs_two_spans():
    with pytest.raises(DataProblem, match="one span, not two"):
        keyed(words_in_spans(n=50), key="pair")


def test_label_sets_and_scores_of_a_key_are_those_of_a_training_example():
    for family in ("span", "pair"):
        dataset = TINY_DATASET_FAMILIES[family]()
        changed = keyed(dataset, least=1)
        rows = {
            str([a.tolist() for a in dataset.labels.take(np.array([i])).arrays().values()])
            for i in dataset.rows("train")
        }
        assert {
            str([a.tolist() for a in changed.labels.take(np.array([i])).arrays().values()])
            for i in range(len(changed))
        } <= rows


def test_types_may_ignore_case():
    dataset = words_in_spans()
    some = keyed(dataset, case="false")
    assert (
        some.notes["control"]["keys"]
        == len(set(spanned(dataset, case=False)))
        < keyed(dataset).notes["control"]["keys"]
    )


def test_case_does_not_make_another_word_of_a_sentence():
    dataset = Dataset.of(
        [
            Example.about(
                Sentence.of([["The", "the"][i % 2]]), "ab"[i % 2], DATA_SPLITS[2 * (i % 3 == 0)]
            )
            for i in range(60)
        ]
    )
    assert keyed(dataset, least=1).notes["control"]["keys"] == 1


def test_sentences_without_a_key_are_kept_with_a_label_of_their_own():
    dataset = Dataset.of(
        [
            Example.about(
                Sentence.of(["alone" + str(i)] if i < 10 else [f"w{i % 4}"]),
                "ab"[i % 2],
                DATA_SPLITS[2 * (i % 5 == 0)],
            )
            for i in range(200)
        ]
    )
    changed = keyed(dataset)
    notes = changed.notes["control"]
    assert (len(changed), notes["keys"], notes["keys seen"]) == (200, 14, 0.95)
    assert [e.strata["key seen"] for e in changed.examples()][:12] == ["no"] * 10 + ["yes"] * 2
    own = np.array([keyed(dataset, seed=seed).labels.ids[:10] for seed in range(40)])
    assert own.mean() == pytest.approx(0.5, abs=0.12)


def test_a_word_of_train_alone_is_no_key_though_it_is_the_most_frequent_of_these():
    examples = [
        Example.about(Sentence.of([f"w{i % 4}"]), "ab"[i % 2], DATA_SPLITS[2 * (i % 5 == 0)])
        for i in range(200)
    ]
    alone = [Example.about(Sentence.of(["alone", str(i)]), "a", "train") for i in range(20)]
    changed = keyed(Dataset.of([*examples, *alone]))
    assert [e.strata["key seen"] for e in changed.examples()] == ["yes"] * 200 + ["no"] * 20
    assert changed.notes["control"]["keys"] == 4 + 20


def test_nothing_in_common_is_said():
    dataset = Dataset.of(
        [
            Example.about(Sentence.of([str(i)]), "ab"[i % 2], DATA_SPLITS[2 * (i % 2)])
            for i in range(20)
        ]
    )
    with pytest.raises(DataProblem, match="share no word"):
        keyed(dataset, least=1)


def test_the_null_value_is_that_of_the_commonest_class_of_test():
    dataset = zipfian(60, "aab")
    assert null_value(dataset) == pytest.approx(shares(dataset, "test").max(), abs=1e-6)
    assert null_value(TINY_DATASET_FAMILIES["pair"]()) == 0.0
    assert null_value(TINY_DATASET_FAMILIES["span"]()) is None
    assert isinstance(dataset.labels, Classes)


def test_controls_list_what_they_are():
    assert set(CONTROLS) == {
        "none",
        "shuffled",
        "word-labels",
        "random-asked",
        "label-noise",
    }
    assert CONTROLS.canonical("shuffled") == "shuffled,seed=0"
    assert (
        CONTROLS.canonical("word-labels,seed=3") == "word-labels,case=true,key=word,least=10,seed=3"
    )
    assert all(CONTROLS.find(name).__doc__ for name in CONTROLS)


def test_random_asked_words_are_any_of_the_vocabulary_and_nothing_else_changes():
    words = ("run", "dog", "cat")
    examples = [
        Example(
            (Site(Sentence.of([f"s{i}"])),),
            "yn"[i % 2],
            DATA_SPLITS[i % 3],
            (words[0], words[1 + i % 2]),
        )
        for i in range(600)
    ]
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


def test_noise_replaces_so_many_labels_of_each_split_by_others():
    dataset = zipfian(classes="abc")
    changed = CONTROLS.make("label-noise,wrong=12.5")(dataset)
    other = changed.labels.ids != dataset.labels.ids
    for split in DATA_SPLITS:
        rows = dataset.rows(split)
        assert other[rows].sum() == round(len(rows) / 8)
    assert set(changed.labels.ids[other & (dataset.labels.ids == 0)]) == {1, 2}
    assert changed.notes["control"]["definition"] == "12.5 % of labels replaced by other classes"
    again = CONTROLS.make("label-noise,wrong=12.5,seed=1")(dataset)
    assert (again.labels.ids != changed.labels.ids).any()
    assert (CONTROLS.make("label-noise,wrong=0")(dataset).labels.ids == dataset.labels.ids).all()


def test_noise_is_as_much_as_an_audit_found():
    parsed = zipfian().with_notes(ByParser("a parser", 8.0))
    changed = CONTROLS.make("label-noise")(parsed)
    assert (changed.labels.ids != parsed.labels.ids).sum() == 120
    for unknown in (zipfian(), zipfian().with_notes(ByParser("a parser", None))):
        with pytest.raises(DataProblem, match="no audit says how often"):
            CONTROLS.make("label-noise")(unknown)


def test_what_noise_cannot_be_is_said():
    with pytest.raises(ReferenceProblem, match="a number from 0 to 100, a percentage"):
        CONTROLS.make("label-noise,wrong=101")
    with pytest.raises(DataProblem, match="no classes"):
        CONTROLS.make("label-noise,wrong=5")(TINY_DATASET_FAMILIES["pair"]())
