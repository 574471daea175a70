"""Baselines of pairs: what they see, and what they do not."""

import numpy as np
import pytest

from lingprobe import evaluate
from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.data.oracles import get_encoder_role
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.encoders import make_encoder
from lingprobe.tasks.baseline_names import RANDOM_BAG_BASELINE
from lingprobe.tasks.baselines import PAIR_FEATURES
from tasks.publications import pair_sets

FIRST, SECOND = Sentence.of("The cat sees a cat".split()), Sentence.of("a Cat sleeps".split())
LAST = Sentence.of(["Nobody", "isn’t", "nie", "there"])


def features(encoder, *pairs):
    dataset = Dataset.of([Example((Site(a), Site(b)), "x") for a, b in pairs])
    made = make_encoder(encoder)
    return Readings(dataset, made.encode(dataset.sentences), made.own_view).features("-")


def test_overlap_is_the_share_of_words_that_both_have():
    read = features("overlap", (FIRST, SECOND), (SECOND, FIRST), (FIRST, FIRST), (FIRST, LAST))
    both = [2 / 4, 2 / 3, 2 / 5]
    expected = [both, [both[1], both[0], both[2]], [1, 1, 1], [0, 0, 0]]
    np.testing.assert_allclose(read, expected, rtol=1e-6)


def test_overlap_of_spans_is_that_of_their_words():
    pairs = [((0, 2), (4, 5)), ((1, 3), (3, 5))]  # the cat, cat; cat sees, a cat
    dataset = Dataset.of([Example((Site(FIRST, a), Site(FIRST, b)), "x") for a, b in pairs])
    vectors = make_encoder("bow:random,pool=none").encode(dataset.sentences)
    read = Readings(dataset, vectors, "mean+overlap").features("-")
    np.testing.assert_allclose(read[:, -3:], [[1 / 2, 1, 1 / 2], [1 / 2, 1 / 2, 1 / 3]], rtol=1e-6)


def test_hypothesis_is_a_bag_of_the_second_sentence():
    read = features("hypothesis,dim=8", (FIRST, SECOND), (LAST, SECOND), (SECOND, FIRST))
    bag = make_encoder("bow:random,dim=8").encode([SECOND, FIRST]).layers[0]
    np.testing.assert_array_equal(read, bag[[0, 0, 1]])


def test_negation_counts_negations_of_each_side():
    assert features("negation", (FIRST, LAST), (LAST, LAST)).tolist() == [[0, 3], [3, 3]]
    german = Sentence.of("Er ist nicht da und kein Mensch".split())
    counted = features("negation,words=nicht,words=kein", (german, LAST))
    assert counted.tolist() == [[2, 0]]


@pytest.mark.parametrize("view", ["mean+second", "mean+overlap"])
def test_what_is_about_pairs_says_so(view):
    dataset = Dataset.of([Example.about(FIRST, "x")])
    readings = Readings(dataset, make_encoder("length").encode(dataset.sentences), view)
    with pytest.raises(ReadingProblem, match=r"two sites, the task has 1"):
        readings.features("-")


def test_tables_of_pairs_have_them_and_others_do_not(tmp_path):
    folder = pair_sets(tmp_path)
    assert all(
        get_encoder_role(make_encoder(name)) == "baseline"
        for name in (*PAIR_FEATURES, RANDOM_BAG_BASELINE)
    )

    def encoders(task):
        evaluation = evaluate("random,dim=4", task, probes="logreg", seeds=1)
        assert not evaluation.failures
        return {r.trial.encoder.partition(",")[0] for r in evaluation.results}

    surface = {*PAIR_FEATURES, RANDOM_BAG_BASELINE, "char-ngrams"}
    assert encoders(f"pair/sick-e:{folder}") == {*surface, "random"}
    assert not encoders("ud/tense:embedded,size=400") & {"overlap", "hypothesis", "negation"}


def test_what_they_are_told_is_worth_what_it_should_be(tmp_path):
    """Labels that follow from overlap, or from the second sentence alone, are read by that baseline
    and not by the others.
    """
    rng = np.random.default_rng(0)
    lines = []
    for i in range(600):
        words = rng.permutation(400)[:18]
        same, last = i % 2, int(rng.integers(2))
        other = words[:6] if same else words[12:]
        a = " ".join(f"w{k}" for k in words[:12])
        b = " ".join([*(f"w{k}" for k in other), "yes" if last else "oh"])
        split = ("train", "train", "train", "test")[i // 2 % 4]
        lines.append((a, b, same, last, split))
    shares = {}
    for column, cue in ((2, "overlap"), (3, "hypothesis")):
        file = tmp_path / f"{cue}.jsonl"
        file.write_text(
            "".join(
                f'{{"a": "{row[0]}", "b": "{row[1]}", "label": {row[column]}, "split": "{row[4]}"}}\n'
                for row in lines
            )
        )
        done = evaluate("length", f"pair/jsonl:{file}", probes="logreg", seeds=1)
        scores = {r.trial.encoder.partition(",")[0]: r.score for r in done.results}
        shares[cue] = scores["overlap"], scores["hypothesis"]
    assert shares["overlap"][0] > 0.95 > 0.7 > shares["overlap"][1]
    assert shares["hypothesis"][1] > 0.95 > 0.7 > shares["hypothesis"][0]
