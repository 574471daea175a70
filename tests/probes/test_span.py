"""The edge probe: what it learns from spans, which layers a mix turns to, what it says beside its
scores, and what it refuses.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lingprobe.data.core import Cell, Dataset, Example, Sentence, Site
from lingprobe.data.labels import Classes, LabelSets
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.probes import PROBES
from lingprobe.probes.span.probe import EDGE_PROTOCOLS, examples_of

SIZES = (120, 20, 60)
DIM, KINDS = 8, 3


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    """Shorter training, which is enough here."""
    fast = EDGE_PROTOCOLS["fast"]
    monkeypatch.setitem(
        EDGE_PROTOCOLS,
        "fast",
        replace(fast, plan=replace(fast.plan, steps=120, epochs=4, looks=3, rate=5e-3)),
    )
    for name in ("tenney", "jiant"):
        plan = EDGE_PROTOCOLS[name].plan
        monkeypatch.setitem(
            EDGE_PROTOCOLS,
            name,
            replace(
                EDGE_PROTOCOLS[name],
                plan=replace(plan, interval_small=20, stop=3, rate=2e-3, most=4),
            ),
        )


def readings(
    label=lambda kinds, a, b: f"{kinds[a]}{kinds[b] % 2}", dtype=np.float32, seed=0, gap=2
):
    """Sentences of six words, a piece or two each, whose kinds stand in layer 1; layers 0 and 2 are
    noise. Two spans an example.
    """
    rng = np.random.default_rng(seed)
    examples, kinds, pieces = [], [], []
    for i in range(sum(SIZES)):
        split = ("train", "dev", "test")[int(np.searchsorted(np.cumsum(SIZES), i, "right"))]
        sentence = Sentence.of([f"s{i}w{w}" for w in range(6)])
        own = rng.integers(KINDS, size=6)
        kinds.append(own)
        pieces.append(rng.integers(1, 3, size=6))
        for a in (0, 1, 3):
            b = (a + gap) % 6
            examples.append(
                Example(
                    (Site(sentence, (a, a + 1)), Site(sentence, (b, b + 1))),
                    label(own, a, b),
                    split,
                )
            )
    lengths = np.concatenate(pieces)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    spans = Spans(ends[::6], np.stack([ends[:-1], ends[1:]], 1), np.arange(0, len(lengths) + 1, 6))
    first, last = rng.normal(size=(2, ends[-1], DIM))
    middle = (
        0.5 * rng.normal(size=(ends[-1], DIM))
        + 3 * np.eye(DIM)[np.repeat(np.concatenate(kinds), lengths)]
    )
    layers = tuple(np.asarray(layer, dtype) for layer in (first, middle, last))
    return Readings(Dataset.of(examples), Vectors(layers, ("0", "1", "2"), spans))


def fit(probe, given, *reads, seeds=(0,)):
    cells = tuple(Cell(read, seed) for seed in seeds for read in reads)
    return PROBES.make(probe).fit(given.split("train"), given.split("dev"), cells=cells)


def accuracy(predictor, given):
    test = given.split("test")
    return float((predictor.predict(test).scores.argmax(1) == test.labels.matrix()).mean())


QUICK = "span,projection=16,hidden=32"


@pytest.mark.parametrize(
    "probe",
    [
        QUICK,
        f"{QUICK},pool=mean",
        f"{QUICK},pool=endpoints",
        f"{QUICK},pool=max",
        f"{QUICK},loss=softmax",
        "span,projection=0,hidden=32",
    ],
)
def test_labels_of_two_spans_are_learnt(probe):
    given = readings()
    signal, noise = fit(probe, given, "1", "0")
    assert accuracy(signal, given) > 0.95
    assert accuracy(noise, given) < 0.45


def test_the_second_span_is_told_from_the_first():
    given = readings(
        lambda kinds, a, b: (
            "low" if kinds[a] < kinds[b] else "high" if kinds[a] > kinds[b] else "same"
        )
    )
    assert accuracy(fit(QUICK, given, "1")[0], given) > 0.95


def test_no_hidden_layer_is_a_linear_classifier():
    """The rest of a sum divided by three is no sum of what each part adds to it."""
    given = readings(lambda kinds, a, b: str((kinds[a] + kinds[b]) % 3))
    assert accuracy(fit(QUICK, given, "1")[0], given) > 0.95
    assert accuracy(fit("span,projection=16,hidden=0", given, "1")[0], given) < 0.75


@pytest.mark.parametrize("probe", [QUICK, f"{QUICK},layer_norm=true", f"{QUICK},gamma=false"])
def test_a_mix_turns_to_the_layer_that_knows(probe):
    given = readings()
    whole, part = fit(probe, given, "mix", "mix:0-1")
    assert accuracy(whole, given) > 0.9
    weights = whole.choice["mix"]
    assert whole.choice["layers"] == ["0", "1", "2"]
    assert sum(weights) == pytest.approx(1)
    assert weights[1] == max(weights) > 0.45
    assert part.choice["layers"] == ["0", "1"]
    assert (whole.choice["gamma"] == 1) == ("gamma=false" in probe)


def test_neighbours_are_seen_with_context_and_not_without():
    given = readings(lambda kinds, a, b: str(kinds[a + 1]), gap=0)
    assert accuracy(fit(QUICK, given, "1")[0], given) < 0.5
    assert accuracy(fit(f"{QUICK},context=2", given, "1")[0], given) > 0.9


def test_a_bag_tells_what_stands_anywhere_in_the_sentence():
    given = readings(lambda kinds, a, b: str((kinds == 0).sum() > 1), gap=0)
    assert accuracy(fit(QUICK, given, "1")[0], given) < 0.8
    for probe in (
        f"{QUICK},bag=true",
        f"{QUICK},bag=true,pool=max",
        "span,projection=0,hidden=32,bag=true",
    ):
        assert accuracy(fit(probe, given, "1")[0], given) > 0.9


def test_a_bag_holds_the_units_of_words_and_no_others():
    """Markers that stand around a sentence's words, and words without units, change nothing."""
    given = readings()
    spans, many = given.vectors.spans, sum(SIZES)
    ends = spans.sentences[1:]
    marked = tuple(np.insert(layer, ends, 100.0, axis=0) for layer in given.vectors.layers)
    words = spans.words + np.repeat(np.arange(many), 6)[:, None]
    marks = replace(
        given,
        vectors=replace(
            given.vectors,
            layers=marked,
            spans=Spans(spans.sentences + np.arange(many + 1), words, spans.first_word),
        ),
    )
    one, other = (
        fit(f"{QUICK},bag=true", each, "1")[0].predict(each.split("test")).scores
        for each in (given, marks)
    )
    np.testing.assert_allclose(one, other, atol=1e-4)


def test_a_bag_is_refused_where_there_is_no_one_sentence_of_units():
    given = readings()
    two, sites = given.dataset, given.dataset.sites.copy()
    sites[5, 1, 0] = sites[20, 1, 0]
    apart = replace(given, dataset=replace(two, sites=sites))
    lost = np.zeros(len(given.vectors.layers[0]), np.bool_)
    lost[given.vectors.spans.words[5, 0]] = True  # the last word of a sentence, which no span holds
    gaps = replace(given, vectors=replace(given.vectors, lost=lost))
    whole = replace(
        given,
        vectors=Vectors(
            tuple(np.ones((sum(SIZES), DIM), np.float32) for _ in "012"), ("0", "1", "2")
        ),
    )
    for data, told in (
        (apart, "in two"),
        (gaps, "vectors are not finite"),
        (whole, "one vector a sentence"),
    ):
        with pytest.raises(ReadingProblem, match=told):
            fit(f"{QUICK},bag=true", data, "1")


def test_a_fit_is_the_same_bits_again_and_alone_nearly_so():
    given, test = readings(), readings().split("test")
    together = fit(QUICK, given, "1", "mix", "cat", seeds=(0, 1))
    again = fit(QUICK, given, "1", "mix", "cat", seeds=(0, 1))
    for one, other in zip(together, again, strict=True):
        assert np.array_equal(one.predict(test).scores, other.predict(test).scores)
    [alone] = fit(QUICK, given, "mix", seeds=(1,))
    np.testing.assert_allclose(
        alone.predict(test).scores, together[4].predict(test).scores, atol=1e-3
    )
    assert not np.array_equal(together[0].predict(test).scores, together[3].predict(test).scores)


def test_scores_do_not_hang_on_what_else_is_asked():
    given = readings()
    [fitted] = fit(QUICK, given, "mix")
    test = given.split("test")
    whole = fitted.predict(test).scores
    some = np.array([7, 3, 50])
    np.testing.assert_allclose(fitted.predict(test.take(some)).scores, whole[some], atol=1e-5)


def test_half_precision_is_read_as_it_is():
    half = readings(dtype=np.float16)
    layers = tuple(layer.astype(np.float32) for layer in half.vectors.layers)
    full = Readings(half.dataset, Vectors(layers, half.vectors.names, half.vectors.spans))
    one, other = (
        fit(QUICK, given, "mix")[0].predict(given.split("test")).scores for given in (half, full)
    )
    assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("probe", "kind"),
    [
        ("", LabelSets),
        (",decode=threshold", LabelSets),
        (",decode=argmax", Classes),
        (",loss=softmax", Classes),
    ],
)
def test_answers_are_sets_by_threshold_and_classes_by_argmax(probe, kind):
    given = readings()
    said = fit(QUICK + probe, given, "1")[0].predict(given.split("test"))
    assert isinstance(said.decoded, kind)
    if kind is LabelSets:
        assert np.array_equal(said.decoded.matrix() > 0, said.scores >= 0)
    else:
        assert np.array_equal(said.decoded.ids, said.scores.argmax(1))


def test_label_sets_are_learnt_label_by_label():
    given = readings(
        lambda kinds, a, b: frozenset(
            x for x, holds in (("first", kinds[a] == 0), ("second", kinds[b] == 1)) if holds
        )
    )
    said, gold = (
        fit(QUICK, given, "1")[0].predict(given.split("test")).decoded.matrix(),
        given.split("test").labels.matrix(),
    )
    assert (said == gold).mean() > 0.97


def test_examples_without_units_teach_nothing_are_counted_and_get_an_answer():
    given = readings()
    words = given.vectors.spans.words.copy()
    words[0] = words[6 * SIZES[0]] = 0  # the first word of train and of dev
    spans = Spans(given.vectors.spans.sentences, words, given.vectors.spans.first_word)
    broken = Readings(given.dataset, Vectors(given.vectors.layers, given.vectors.names, spans))
    [fitted] = fit(QUICK, broken, "1")
    assert fitted.choice["without_units"] == [1, 1]
    words[0] = given.vectors.spans.words[0]
    one = Spans(given.vectors.spans.sentences, words, given.vectors.spans.first_word)
    of_dev = Readings(given.dataset, Vectors(given.vectors.layers, given.vectors.names, one))
    assert fit(QUICK, of_dev, "1")[0].choice["without_units"] == [0, 1]
    words[0] = 0
    assert np.isfinite(fitted.predict(broken.split("dev")).scores).all()
    nowhere = Spans(
        given.vectors.spans.sentences, np.zeros_like(words), given.vectors.spans.first_word
    )
    with pytest.raises(ReadingProblem, match="no units in the spans of 360 training examples"):
        fit(
            QUICK,
            Readings(given.dataset, Vectors(given.vectors.layers, given.vectors.names, nowhere)),
            "1",
        )
    assert "without_units" not in fit(QUICK, given, "1")[0].choice


@pytest.mark.parametrize("protocol", ["tenney", "jiant"])
def test_the_papers_protocols_learn(protocol):
    given = readings()
    [fitted] = fit(f"span,protocol={protocol},hidden=64", given, "1")
    assert fitted.choice["dev"] > 0.5
    assert fitted.choice["steps"] % 20 == 0


def test_an_example_is_named_by_the_beginning_of_its_sentence():
    given = Dataset.of([Example.about(Sentence.of(["x" * 50, "y" * 50]), "a")])
    one = Readings(given, Vectors((np.zeros((1, 2), np.float32),)))
    named = examples_of(one, np.arange(1), PROBES.make(QUICK).config).describe(0)
    assert named == repr("x" * 50 + " " + "y" * 9)


def test_a_nan_is_told_with_layer_and_sentence():
    given = readings()
    given.vectors.layers[1][3] = np.nan
    with pytest.raises(ValueError, match=r"layer '1' has NaN or infinite values, first in .s0w0"):
        fit(QUICK, given, "1")


@pytest.mark.parametrize(
    "probe",
    [
        "span,hidden=-1",
        "span,projection=-1",
        "span,loss=softmax,decode=threshold",
        "span,context=3",
    ],
)
def test_settings_that_make_no_sense_are_refused(probe):
    with pytest.raises(ReferenceProblem):
        PROBES.make(probe)


def test_what_cannot_be_read_or_answered_is_refused():
    given = readings()
    scores = readings(lambda kinds, a, b: float(kinds[a]))
    sets = readings(lambda kinds, a, b: frozenset({str(kinds[a])}))
    wide = Vectors(
        (*given.vectors.layers, np.ones((len(given.vectors.layers[0]), 3), np.float32)),
        ("0", "1", "2", "3"),
        given.vectors.spans,
    )
    for probe, read, data, told in (
        (QUICK, "1", scores, "labels are scores"),
        ("span,loss=softmax", "1", sets, "exactly one label"),
        (QUICK, "mix", Readings(given.dataset, wide), "one width"),
        (QUICK, "7", given, "no layer called"),
        (
            "span,protocol=tenney",
            "1",
            given.take(np.flatnonzero(given.dataset.splits != 1)),
            "no dev",
        ),
        (QUICK, "1", given.take(np.flatnonzero(given.dataset.splits != 0)), "no training"),
    ):
        with pytest.raises(ReadingProblem, match=told):
            fit(probe, data, read)


def test_without_dev_the_end_is_kept():
    given = readings()
    none = given.take(np.flatnonzero(given.dataset.splits != 1))
    [fitted] = fit(QUICK, none, "1")
    assert fitted.choice["step"] == fitted.choice["steps"]
    assert accuracy(fitted, none) > 0.9
