"""What examples were drawn together with: sentences, words of spans, target forms, pairs, and what
a table says itself.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import Dataset, Example, Sentence, Site, Tags
from lingprobe.data.labels import ScoreLabels
from lingprobe.datasets.splits import carve_dev, code_shared_groups, orient_pairs
from lingprobe.metrics import interval_of
from lingprobe.tasks import TASKS
from lingprobe.testing import TINY_DATASET_FAMILIES

WORDS = "Cats and the cats see the dogs".split()


def about(*spans, words=WORDS, label="x", split="test", **strata):
    sentence = Sentence.of(words)
    return Example(tuple(Site(sentence, span) for span in spans), label, split, strata=strata)


def test_spans_share_their_sentence_and_their_words_whatever_their_case():
    other = [*WORDS, "sleep"]
    data = Dataset.of(
        [
            about((0, 1)),
            about((2, 4)),
            about((3, 4)),
            about((3, 4), words=other),
            about((5, 7), words=other),
        ]
    )
    codes = code_shared_groups(data)
    assert list(codes) == ["sentence", "words"]
    assert codes["sentence"].tolist() == [0, 0, 0, 1, 1]
    first, phrase, second, third, last = codes["words"].tolist()
    assert first == second == third, "Cats and cats"
    assert len({first, phrase, last}) == 3


def test_two_spans_of_one_sentence_share_the_words_of_either():
    codes = code_shared_groups(
        Dataset.of([about((0, 1), (4, 5)), about((3, 4), (6, 7)), about((6, 7), (4, 5))])
    )
    assert list(codes) == ["sentence", "words", "words 2"]
    assert codes["words"][0] == codes["words"][1] != codes["words"][2]
    assert codes["words 2"][0] == codes["words 2"][2] != codes["words 2"][1]


def test_whole_sentences_are_shared_where_several_examples_are_about_them():
    first, second = Sentence.of(["a", "b"]), Sentence.of(["c"])
    alone = Dataset.of([Example.about(first, "x"), Example.about(second, "y")])
    assert code_shared_groups(alone) == {}
    pairs = Dataset.of(
        [
            Example((Site(a), Site(b)), 1.0 * i)
            for i, (a, b) in enumerate([(first, second), (first, first), (second, first)])
        ]
    )
    found = code_shared_groups(pairs)
    assert {name: codes.tolist() for name, codes in found.items()} == {
        "sentence": [0, 0, 0],
        "sentence 2": [1, 0, 1],
    }


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(20, 32), st.booleans()), min_size=1))
def test_a_sentence_of_pairs_is_shared_on_whichever_side_it_stands(pairs):
    """What is on one side in some order of the pairs is found to be, whatever way they stand."""
    told = np.array([(b, a) if turn else (a, b) for a, b, turn in pairs])
    found = orient_pairs(told)
    assert (np.sort(found, 1) == np.sort(told, 1)).all()
    several = np.flatnonzero(np.bincount(found.ravel()) > 1)
    assert not set(several) & set(found[:, 0]) & set(found[:, 1])


def test_in_a_circle_of_three_pairs_two_find_what_they_share():
    found = orient_pairs(np.array([(0, 1), (1, 2), (2, 0)]))
    shared = [len(found) - len(set(found[:, k].tolist())) for k in (0, 1)]
    assert sum(shared) == 2


def test_target_forms_are_shared_and_what_has_none_is_alone():
    told = [
        about((0, 1), words=[f"w{i}"], **({"target": t} if t else {}))
        for i, t in enumerate(["saw", "", "saw", "went"])
    ]
    codes = code_shared_groups(Dataset.of(told))
    assert list(codes) == ["target"]
    assert codes["target"].tolist() == [0, -1, 0, 1]


def test_a_data_set_may_name_more_strata_and_part_of_it_keeps_them():
    told = [about((0, 1), words=[f"w{i}"], speaker=s, topic="t") for i, s in enumerate("abcab")]
    data = replace(Dataset.of(told), clusters=("speaker",))
    assert list(code_shared_groups(data)) == ["speaker"], "a stratum to report by is no cluster"
    assert code_shared_groups(data.take(np.array([0, 3, 4])))["speaker"].tolist() == [0, 0, 1]
    assert code_shared_groups(data.take(np.array([0, 1, 2]))) == {}, (
        "no two of them share a speaker"
    )


@pytest.mark.parametrize(
    ("family", "names"), [("sentence", []), ("span", ["words"]), ("spans", ["words", "words 2"])]
)
def test_every_family_says_it(family, names):
    data = TINY_DATASET_FAMILIES[family]()
    assert list(code_shared_groups(data.take(data.rows("test")))) == names


def test_minimal_pairs_are_drawn_together():
    data = TASKS.make("comp/order,size=120").load()
    codes = code_shared_groups(data.take(data.rows("test")))
    assert (np.bincount(codes["pair"]) >= 2).all()


def test_a_carved_dev_split_keeps_them_together():
    told = [
        about((0, 1), words=[f"w{i}"], label="xy"[i % 2], split="train", speaker=str(i // 6))
        for i in range(120)
    ]
    data = carve_dev(replace(Dataset.of(told), clusters=("speaker",)), 0)
    speakers = data.strata["speaker"].codes
    assert not set(speakers[data.rows("train")]) & set(speakers[data.rows("dev")])
    assert data.notes["dev"]["kept_together"] == "sentences and speakers"


def test_numbers_of_strata_are_told_apart_where_several_keep_examples_together():
    """Speakers and topics that part the data alike, under other numbers."""
    told = [about((0, 1), words=[f"w{i}"], label="xy"[i % 2], split="train") for i in range(120)]
    codes, names = np.arange(120) // 4, tuple(map(str, range(30)))
    strata = {"speaker": Tags(codes, names), "topic": Tags((codes + 1) % 30, names)}
    data = replace(Dataset.of(told), strata=strata, clusters=("speaker", "topic"))
    carved = carve_dev(data, 0)
    assert carved.notes["dev"]["kept_together"] == "sentences and speakers and topics"
    assert len(carved.rows("dev")) == 12
    assert (np.bincount(codes[carved.rows("dev")]) % 4 == 0).all()


def scored_pairs(seed):
    """Pairs of 160 sentences, and what two judges make of them: each sentence sways both."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, 160, (300, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    one, other = rng.normal(size=(2, 160))
    gold = 0.8 * one[pairs].sum(1) + rng.normal(size=len(pairs))
    said = 0.6 * gold + 0.48 * other[pairs].sum(1) + 0.8 * rng.normal(size=len(pairs))
    return pairs, gold, said


def test_intervals_of_correlations_over_pairs_that_share_sentences_hold_the_truth():
    drawn = [scored_pairs(seed) for seed in range(400)]
    gold, said = (np.concatenate([each[k] for each in drawn]) for k in (1, 2))
    true = np.corrcoef(gold, said)[0, 1]

    def held(way):
        return np.mean(
            [
                low <= true <= high
                for pairs, gold, said in drawn
                for low, high in [
                    interval_of("pearson", ScoreLabels(gold), [ScoreLabels(said)], way(pairs))
                ]
            ]
        )

    alone = held(lambda pairs: {})
    apart = held(lambda pairs: dict(zip("ab", pairs.T, strict=True)))
    both = held(lambda pairs: dict(zip("ab", orient_pairs(pairs).T, strict=True)))
    assert alone < 0.91 < apart < both
    assert 0.93 <= both <= 0.97
