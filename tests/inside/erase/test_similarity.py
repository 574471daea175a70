"""What an encoder is used for under changes of its states: a planted one that uses a property."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

import lingprobe
from fixtures.models import transformer, vocabulary
from lingprobe import DataProblem
from lingprobe.data.core import Dataset, Sentence
from lingprobe.data.labels import build_column
from lingprobe.data.vectors import Vectors
from lingprobe.inside.erase.distances import ChangeSize
from lingprobe.inside.erase.effect_cells import effect_cells
from lingprobe.inside.erase.effects import read_changes
from lingprobe.inside.erase.fitting import EraserData
from lingprobe.inside.erase.interventions import ERASED_CHANGE, FloorDraws, changes_of
from lingprobe.inside.erase.similarity import PairCosines, pair_translations, similar_pairs
from lingprobe.tasks import TASKS

N, DIM = 300, 8
NAMED = ("encoder", "0", "task", "leace")


class Planted:
    """A state is what a sentence says of itself; its first number is left out of vectors unless it
    is used.
    """

    takes, name = "sentences", "planted"

    def __init__(self, is_used):
        self.is_used, self.edits = is_used, {}

    @contextmanager
    def replace_states(self, edits):
        self.edits = edits
        yield
        self.edits = {}

    def encode(self, sentences):
        states = torch.tensor([json.loads(s.text) for s in sentences])
        for edit in self.edits.values():
            states = edit(states[:, None])[:, 0]
        return Vectors((states.numpy()[:, 0 if self.is_used else 1 :].astype(np.float32),))


def states(seed, codes):
    x = np.random.default_rng(seed).normal(size=(len(codes), DIM))
    x[:, 0] = 4 * codes - 2
    x[:, 1:4] *= 2  # it is not all that varies
    return x


def source():
    codes = np.arange(200) % 2
    return EraserData([states(0, codes)], build_column([f"c{k}" for k in codes]))


def pairs():
    """Sentences that are alike where they have the same property."""
    codes = np.random.default_rng(1).integers(0, 2, (N, 2))
    x = np.stack([states(2, codes[:, 0]), states(3, codes[:, 1])], 1).reshape(-1, DIM)
    sentences = [Sentence((str(k),), json.dumps(row.tolist())) for k, row in enumerate(x)]
    sites = np.stack([np.arange(2 * N), *np.full((2, 2 * N), -1)], 1).reshape(N, 2, 3)
    alike = (codes[:, 0] == codes[:, 1]) + np.random.default_rng(4).normal(0, 0.1, N)
    return Dataset.of_columns(sentences, sites, build_column(alike.tolist()), np.zeros(N))


def measure(reader):
    floors = FloorDraws("leace", 5, "seed")
    changes = list(changes_of("0", source(), floors.fit(source()), {1.0: 1.0}, floors))
    read_changes(reader, "0", changes, np.zeros((0, 2), np.int64))
    sizes = {ERASED_CHANGE: ChangeSize(1, 1), "moved 1": ChangeSize(1, 1)}
    return effect_cells(reader.items, None, NAMED, sizes)


def test_what_similarity_uses_is_told_from_what_is_there():
    for is_used in (True, False):
        reader = PairCosines.of(pairs(), ["similarity"], Planted(is_used))
        (cell,) = measure(reader)  # moved states have no label of their own here
        assert cell.change == ERASED_CHANGE
        if is_used:
            assert cell.before > 40
            assert abs(cell.after) < 25
            assert cell.verdict == "falls"
        else:
            assert cell.after == pytest.approx(cell.before, abs=10)
            assert cell.verdict == "no significant difference"


def test_similarity_is_the_rank_correlation_of_cosines():
    data = pairs()
    (cell,) = measure(PairCosines.of(data, ["similarity"], Planted(True)))
    x = np.array([json.loads(s.text) for s in data.sentences]).reshape(N, 2, DIM)
    cosines = [a @ b / np.sqrt(a @ a * (b @ b)) for a, b in x]
    assert cell.before == pytest.approx(100 * spearmanr(cosines, data.labels.numbers)[0], abs=0.1)


def texts(folder, noise):
    """Two texts whose sentences say where they lie, the second beside the first."""
    rng = np.random.default_rng(0)
    x = states(5, rng.integers(0, 2, 60))
    x[:, 1:] /= 10  # so that mostly the property says which is which
    other = x + rng.normal(0, noise, x.shape)
    for name, rows in (("a.txt", x), ("b.txt", other)):
        lines = (json.dumps(np.round(row, 4).tolist()).replace(" ", "") for row in rows)
        (folder / name).write_text("\n".join(lines))
    return x, other


def test_translations_are_found_among_all_by_the_cosine(tmp_path):
    x, other = texts(tmp_path, 0.05)
    data, names = pair_translations(f"{tmp_path}/a.txt+{tmp_path}/b.txt", [])
    assert [name.count(" to ") for name in names] == [1, 1]
    there, back = measure(PairCosines.of(data, names, Planted(True)))

    def share(some, others):
        right = 0
        for k, row in enumerate(some):
            cosines = [row @ o / np.linalg.norm(row) / np.linalg.norm(o) for o in others]
            right += int(np.argmax(cosines)) == k
        return 100 * right / len(some)

    assert there.before == pytest.approx(share(x, other), abs=2)
    assert back.before == pytest.approx(share(other, x), abs=2)
    assert 5 < there.before < 100


def test_sentences_that_the_eraser_saw_are_left_out(tmp_path):
    texts(tmp_path, 0.05)
    given = f"{tmp_path}/a.txt+{tmp_path}/b.txt"
    whole, _ = pair_translations(given, [])
    some, _ = pair_translations(given, [whole.sentences[k] for k in (0, 3)])
    assert len(some) == len(whole) - 2
    with pytest.raises(DataProblem, match="0 of 60 pairs have sentences"):
        pair_translations(given, whole.sentences)
    with pytest.raises(DataProblem, match="write two texts"):
        pair_translations(f"{given}+c", [])
    scored = replace(pairs(), splits=(np.arange(N) % 2 * 2).astype(np.int8))
    kept = similar_pairs(scored, scored.sentences[2:4])  # of the second pair
    assert len(kept) == N // 2 - 1
    np.testing.assert_array_equal(kept.labels.numbers, scored.labels.numbers[3::2])
    with pytest.raises(DataProblem, match="takes minimal pairs for lm:MODEL"):
        similar_pairs(TASKS.make("ud/tense:embedded").load(), [])


def test_an_encoder_without_a_language_model_is_measured_whole(tmp_path):
    words = vocabulary()
    rng = np.random.default_rng(0)
    rows = [
        {
            "text": " ".join([words[k % 2], *rng.choice(words[4:], 5)]),
            "label": ("yes", "no")[k % 2],
            "split": ("train", "train", "train", "dev", "test")[k // 2 % 5],
        }
        for k in range(200)
    ]
    (tmp_path / "task.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for name, order in (("a.txt", 1), ("b.txt", -1)):
        lines = [" ".join(rng.permutation(words[:8])[::order]) for _ in range(40)]
        (tmp_path / name).write_text("\n".join(dict.fromkeys(lines)))
    page = lingprobe.intervene(
        f"table:{tmp_path}/task.jsonl", f"hf:{transformer(tmp_path / 'model', layers=2)}", layer=0,
        pairs=f"{tmp_path}/a.txt+{tmp_path}/b.txt", doses=(), draws=1, probe="logreg,c=1",
        cache=tmp_path / "cache",
    )  # fmt: skip
    measured = {(cell.measured, cell.change) for cell in page.content}
    assert {m for m, _ in measured if " to " in m} == {"a.txt to b.txt", "b.txt to a.txt"}
    assert {c for m, c in measured if " to " in m} == {ERASED_CHANGE, "scrubbed"}
