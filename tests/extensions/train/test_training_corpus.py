"""A corpus as numbers in a file."""

from __future__ import annotations

import numpy as np

from lingprobe_extensions.train import corpus as module
from lingprobe_extensions.train.corpus import TrainingCorpus, WordVocabulary

TEXT = ["b a c", "a", "b b d", "a b c", "b a c", "e"]


def made(folder, monkeypatch, block: int = 4) -> TrainingCorpus:
    monkeypatch.setattr(module, "_BLOCK", block)
    monkeypatch.setattr(module, "_WAITING", 2)
    return TrainingCorpus.of((line.split() for line in TEXT), folder / "new" / "place")


def test_what_is_read_is_what_was_written_and_no_file_stays(tmp_path, monkeypatch):
    one = made(tmp_path, monkeypatch)
    assert one.forms == ["b", "a", "c", "d", "e"]
    assert list((tmp_path / "new" / "place").iterdir()) == []
    assert len(one.blocks()) > 2
    back = []
    for first, last in one.blocks():
        text = one.read(first, last)
        back += [" ".join(one.forms[w] for w in text.row(i)) for i in range(len(text))]
    assert back == TEXT


def test_sentences_like_others_are_told(tmp_path, monkeypatch):
    one = made(tmp_path, monkeypatch)
    assert one.unlike(np.array([0, 1, 2, 3, 5]), np.array([4])).tolist() == [1, 2, 3, 5]
    assert one.unlike(np.arange(3), np.arange(0)).tolist() == [0, 1, 2]


def test_words_are_numbered_by_how_often_they_are_in_train(tmp_path, monkeypatch):
    one = made(tmp_path, monkeypatch)
    rows = np.array([0, 1, 2, 3])
    assert one.counts(rows).tolist() == [4, 3, 2, 1, 0]
    known = WordVocabulary.of(one, rows, 2)
    assert known.words == ("b", "a", "c")
    assert known.counts.tolist() == [4, 3, 2]
    text = known.drop_rare_words(one.read(0, 6))
    assert [text.row(i).tolist() for i in range(6)] == [
        [0, 1, 2],
        [1],
        [0, 0],
        [1, 0, 2],
        [0, 1, 2],
        [],
    ]


def test_mixed_sentences_are_from_all_over_the_text(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 400)
    monkeypatch.setattr(module, "_STRETCHES", 20)
    one = TrainingCorpus.of(([str(i), "of"] for i in range(2000)), tmp_path)
    numbers = {i: int(form) for i, form in enumerate(one.forms) if form != "of"}
    rows = np.flatnonzero(np.arange(2000) % 5)
    parts = [
        [numbers[int(text.row(i)[0])] for i in range(len(text))]
        for text in one.shuffled_texts(rows, np.random.default_rng(0))
    ]
    assert sorted(i for part in parts for i in part) == rows.tolist()
    assert max(map(len, parts)) <= 200
    assert [i for part in parts for i in part] != rows.tolist()
    for part in parts:
        assert abs(np.mean(part) - 1000) < 500  # a block in the order of the text is 200 wide
        assert np.std(part) > 400
        assert np.mean(np.abs(np.diff(part)) > 20) > 0.8  # stretches are not kept together
