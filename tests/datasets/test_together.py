"""What examples were drawn together with: sentences, words of spans, target forms, pairs, and what
a table says itself.
"""

from dataclasses import replace

import numpy as np
import pytest

from sonde.core import Dataset, Example, Sentence, Site
from sonde.datasets import carve_dev, together
from sonde.tasks import TASKS
from sonde.testing import FAMILIES

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
    codes = together(data)
    assert list(codes) == ["sentence", "words"]
    assert codes["sentence"].tolist() == [0, 0, 0, 1, 1]
    first, phrase, second, third, last = codes["words"].tolist()
    assert first == second == third, "Cats and cats"
    assert len({first, phrase, last}) == 3


def test_two_spans_of_one_sentence_share_the_words_of_either():
    codes = together(
        Dataset.of([about((0, 1), (4, 5)), about((3, 4), (6, 7)), about((6, 7), (4, 5))])
    )
    assert list(codes) == ["sentence", "words", "words 2"]
    assert codes["words"][0] == codes["words"][1] != codes["words"][2]
    assert codes["words 2"][0] == codes["words 2"][2] != codes["words 2"][1]


def test_whole_sentences_are_shared_where_several_examples_are_about_them():
    first, second = Sentence.of(["a", "b"]), Sentence.of(["c"])
    alone = Dataset.of([Example.about(first, "x"), Example.about(second, "y")])
    assert together(alone) == {}
    pairs = Dataset.of(
        [
            Example((Site(a), Site(b)), 1.0 * i)
            for i, (a, b) in enumerate([(first, second), (first, first), (second, first)])
        ]
    )
    found = together(pairs)
    assert {name: codes.tolist() for name, codes in found.items()} == {
        "sentence": [0, 0, 1],
        "sentence 2": [1, 0, 0],
    }


def test_target_forms_are_shared_and_what_has_none_is_alone():
    told = [
        about((0, 1), words=[f"w{i}"], **({"target": t} if t else {}))
        for i, t in enumerate(["saw", "", "saw", "went"])
    ]
    codes = together(Dataset.of(told))
    assert list(codes) == ["target"]
    assert codes["target"].tolist() == [0, -1, 0, 1]


def test_a_data_set_may_name_more_strata_and_part_of_it_keeps_them():
    told = [about((0, 1), words=[f"w{i}"], speaker=s, topic="t") for i, s in enumerate("abcab")]
    data = replace(Dataset.of(told), clusters=("speaker",))
    assert list(together(data)) == ["speaker"], "a stratum to report by is no cluster"
    assert together(data.take(np.array([0, 3, 4])))["speaker"].tolist() == [0, 0, 1]
    assert together(data.take(np.array([0, 1, 2]))) == {}, "no two of them share a speaker"


@pytest.mark.parametrize(
    ("family", "names"), [("sentence", []), ("span", ["words"]), ("spans", ["words", "words 2"])]
)
def test_every_family_says_it(family, names):
    data = FAMILIES[family]()
    assert list(together(data.take(data.rows("test")))) == names


def test_minimal_pairs_are_drawn_together():
    data = TASKS.make("comp/order,size=120").load()
    codes = together(data.take(data.rows("test")))
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
