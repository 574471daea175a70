import pickle

import numpy as np
import pytest

from lingprobe.data.core import Cell, Dataset, Example, Sentence
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.vectors import Vectors
from lingprobe.probes import PROBES
from lingprobe.probes.bayes import _SMOOTHINGS, bi, uni
from lingprobe.testing import TINY_DATASET_FAMILIES

CELL = (Cell("-", 0),)


def read(dataset):
    return Readings(dataset, Vectors((np.zeros((len(dataset.sentences), 0), np.float32),)))


def predicted(probe, readings, split="test"):
    [predictor] = probe.fit(readings.split("train"), readings.split("dev"), cells=CELL)
    return predictor.predict(readings.split(split))


@pytest.mark.parametrize("longest", [uni, bi])
@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_every_family_gets_finite_scores(family, longest):
    readings = read(TINY_DATASET_FAMILIES[family]())
    said = predicted(longest(), readings)
    assert said.scores.shape == (20, len(readings.labels.names))
    assert np.isfinite(said.scores).all()


def test_equals_multinomial_naive_bayes_of_scikit_learn():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.naive_bayes import MultinomialNB

    readings = read(TINY_DATASET_FAMILIES["sentence"]())
    texts = {
        s: [e.sites[0].sentence.text for e in readings.split(s).dataset.examples()]
        for s in ("train", "test")
    }
    tfidf = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\S+")
    model = MultinomialNB(alpha=0.3).fit(
        tfidf.fit_transform(texts["train"]), readings.split("train").labels.ids
    )
    theirs = model.predict_joint_log_proba(tfidf.transform(texts["test"]))
    np.testing.assert_allclose(predicted(bi(alpha=0.3), readings).scores, theirs, rtol=1e-5)


def test_words_tell_the_tense_of_known_verbs():
    said, test = (
        predicted(uni(), read(TINY_DATASET_FAMILIES["sentence"]((200, 50, 50)))),
        TINY_DATASET_FAMILIES["sentence"]((200, 50, 50)).take,
    )
    gold = TINY_DATASET_FAMILIES["sentence"]((200, 50, 50))
    assert (said.decoded.ids == test(gold.rows("test")).labels.ids).mean() > 0.9


def test_overlap_of_words_tells_how_alike_two_sentences_are():
    dataset = TINY_DATASET_FAMILIES["pair"]((200, 50, 100))
    said = predicted(uni(), read(dataset))
    gold = dataset.labels.take(dataset.rows("test")).values
    assert np.corrcoef(said.decoded.values, gold)[0, 1] > 0.6


def test_label_sets_are_learnt_from_spans_alone():
    dataset = TINY_DATASET_FAMILIES["span"]((200, 50, 100))
    said = predicted(uni(), read(dataset)).decoded
    gold = dataset.labels.take(dataset.rows("test"))
    assert (said.matrix() == gold.matrix()).mean() > 0.9


def test_smoothing_is_tuned_on_dev_and_told():
    readings = read(TINY_DATASET_FAMILIES["sentence"]())
    [tuned] = uni().fit(readings.split("train"), readings.split("dev"), cells=CELL)
    [fixed] = uni(alpha=0.5).fit(readings.split("train"), readings.split("dev"), cells=CELL)
    [without] = uni().fit(
        readings.split("train"), readings.split("dev").take(np.array([], np.int64)), cells=CELL
    )
    assert (fixed.choice, without.choice) == ({"alpha": 0.5}, {"alpha": 1.0})
    assert tuned.choice["alpha"] in _SMOOTHINGS


def test_unknown_words_leave_the_prior():
    dataset = Dataset.of(
        [
            Example.about(Sentence.of([w]), label, split)
            for w, label, split in [("a", "x", "train"), ("b", "x", "train"), ("c", "y", "train")]
        ]
        + [
            Example.about(Sentence.of([]), "y", "test"),
            Example.about(Sentence.of(["new"]), "y", "test"),
        ]
    )
    assert predicted(uni(), read(dataset)).decoded.ids.tolist() == [0, 0]


def test_a_data_set_without_a_word_is_refused_with_advice():
    dataset = Dataset.of(
        [Example.about(Sentence.of([]), "x"), Example.about(Sentence.of([], "?"), "y")]
    )
    with pytest.raises(ReadingProblem, match="no words"):
        predicted(uni(), read(dataset))


def test_predictors_pickle():
    readings = read(TINY_DATASET_FAMILIES["sentence"]())
    [fitted] = bi().fit(readings.split("train"), readings.split("dev"), cells=CELL)
    assert np.array_equal(
        pickle.loads(pickle.dumps(fitted)).predict(readings).scores, fitted.predict(readings).scores
    )


@pytest.mark.parametrize("alpha", ["0", "-1"])
def test_a_smoothing_is_more_than_nothing(alpha):
    with pytest.raises(ReferenceProblem, match="write a number above 0, a smoothing"):
        PROBES.make(f"nb-uni-tfidf,alpha={alpha}")


def test_names_and_references():
    assert [PROBES.make(name).name for name in ("nb-uni-tfidf", "nb-bi-tfidf")] == [
        "nb-uni-tfidf",
        "nb-bi-tfidf",
    ]
    assert PROBES.canonical("nb-uni-tfidf,alpha=0.5") == "nb-uni-tfidf,alpha=0.5,lower=true"
    assert PROBES.canonical("nb-bi-tfidf") == "nb-bi-tfidf,alpha=none,lower=true"


def test_many_classes_and_words_stay_sparse():
    rng = np.random.default_rng(0)
    examples = [
        Example.about(
            Sentence.of([f"w{w}" for w in rng.integers(40_000, size=9)] + [f"c{i % 1000}"]),
            f"c{i % 1000}",
        )
        for i in range(4000)
    ]
    readings = read(Dataset.of(examples))
    [fitted] = uni(alpha=0.01).fit(readings, readings, cells=CELL)
    assert fitted.linear.weights.nnz < 50_000  # a dense matrix would have 25 million cells
    assert (
        fitted.predict(readings.take(np.arange(500))).decoded.ids == readings.labels.ids[:500]
    ).mean() > 0.99
