"""No lemma makes half of a class, and what cannot be had without one is said."""

from __future__ import annotations

from collections import Counter

import pytest

from lingprobe.data.core import DataProblem, Sentence
from lingprobe.datasets.candidates import Candidate, CandidatePool
from lingprobe.datasets.draw import sample
from lingprobe.datasets.lemmas import DominantLemma, find_dominances
from lingprobe.datasets.settings import SampleSettings

POINTS = "\u05b1\u05b4\u0591\u0596\u05bd\u05b8\u05b9\u0592\u0594\u0597\u059c\u05a3"


def pool_of(*, common, others, forms=12, singular=200):
    """Candidates: plurals of one lemma in some forms, of other lemmas, and singulars."""
    rows = [("plur", f"gods{k % forms}", "god") for k in range(common)]
    rows += [("plur", f"p{k}", f"n{k}") for k in range(others)]
    rows += [("sing", f"s{k}", f"m{k}") for k in range(singular)]
    return [
        Candidate(Sentence.of([f"w{i}", form, "."]), label, form, lemma=lemma)
        for i, (label, form, lemma) in enumerate(rows)
    ]


def count_of_lemma(data, pool, lemma="god"):
    """Examples of a lemma by class, and of all lemmas."""
    lemmas = {candidate.sentence: candidate.lemma for candidate in pool}
    pairs = zip(data.labels.class_names(), data.sites[:, 0, 0].tolist(), strict=True)
    found = [(label, lemmas[data.sentences[row]]) for label, row in pairs]
    return Counter(label for label, of in found if of == lemma), Counter(
        label for label, _ in found
    )


def test_the_pools_largest_lemma_of_a_class_is_found():
    pool = CandidatePool.of(pool_of(common=60, others=40))
    rows = CandidatePool.of(pool_of(common=60, others=40)).labels.nonzero()[0]
    assert find_dominances(pool, (pool.labels == pool.names.index("plur")).nonzero()[0]) == [
        DominantLemma("plur", "god", 60, 100)
    ]
    assert not find_dominances(pool, rows)  # singulars have a lemma each


@pytest.mark.parametrize(("common", "others"), [(60, 40), (100, 70), (51, 49), (400, 60)])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("fold", [None, "1/5", "3/5"])
def test_no_lemma_makes_half_of_a_class(common, others, seed, fold):
    pool = pool_of(common=common, others=others, forms=60)
    data = sample(pool, SampleSettings(seed=seed, fold=fold))
    of_lemma, total = count_of_lemma(data, pool)
    assert total["plur"] == total["sing"] >= 50
    assert 0 < 2 * of_lemma["plur"] < total["plur"]
    (remark,) = [each for each in data.notes.remarks if "lemma" in each]
    assert "'plur'" in remark
    assert "'god'" in remark
    assert "no lemma makes half of the class" in remark


def test_folds_of_one_sample_test_the_same_examples_once():
    pool = pool_of(common=80, others=60, forms=60)
    folds = [sample(pool, SampleSettings(fold=f"{k}/4")) for k in range(1, 5)]
    tested = [
        {data.sentences[row] for row in data.sites[data.rows("test"), 0, 0].tolist()}
        for data in folds
    ]
    assert sum(map(len, tested)) == len(set().union(*tested))


def test_what_has_no_such_lemma_is_drawn_as_before():
    pool = pool_of(common=10, others=90)
    bare = [candidate._replace(lemma="") for candidate in pool]
    data, again = sample(pool), sample(bare)
    assert [data.sentences[k] for k in data.sites[:, 0, 0]] == [
        again.sentences[k] for k in again.sites[:, 0, 0]
    ]
    assert not data.notes.remarks


def test_a_class_that_cannot_be_had_without_its_lemma_is_kept_and_said():
    pool = pool_of(common=90, others=10, forms=60)
    data = sample(pool)
    of_lemma, total = count_of_lemma(data, pool)
    assert 2 * of_lemma["plur"] > total["plur"] >= 50
    (remark,) = [each for each in data.notes.remarks if "lemma" in each]
    assert "% of 'plur' have the lemma 'god'" in remark
    assert "50 are needed" in remark
    (dominance,) = data.notes["sampling"]["mostly_one_lemma"]
    assert dominance["lemma"] == "god"


def test_a_class_that_is_too_small_with_its_lemma_is_refused_as_before():
    with pytest.raises(DataProblem, match="too few examples of a class"):
        sample(pool_of(common=20, others=10))


def test_spellings_of_a_lemma_and_of_a_form_are_one():
    """Eleven spellings of one Hebrew word, by their points, are one form, in one split."""
    spelt = [f"אל{mark}הים" for mark in POINTS]
    rows = [("plur", spelt[k % len(spelt)]) for k in range(30)]
    rows += [("plur", f"מלכ{chr(0x5D0 + k % 22)}{chr(0x5D0 + k // 22)}") for k in range(60)]
    rows += [("sing", f"בנ{chr(0x5D0 + k % 22)}{chr(0x5D0 + k // 22)}") for k in range(90)]
    pool = CandidatePool.of(
        Candidate(Sentence.of([f"w{i}", form]), label, form, lemma=form)
        for i, (label, form) in enumerate(rows)
    )
    assert "אלהים" in pool.forms
    assert "אלהים" in pool.lemma_names
    assert (pool.targets == pool.forms.index("אלהים")).sum() == 30
