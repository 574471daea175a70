"""Sets of a folder for the hub in mteb, whose score is that of scikit-learn by hand; and which sets
other programs can run.
"""

from __future__ import annotations

import importlib.util
import json
from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import lingprobe
from lingprobe.audit.hub_tools import tool_for
from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.tasks import TASKS

SEED = 42  # of mteb's tasks
SPLIT = (("train", 60), ("dev", 12), ("test", 50))


def texts(many: int) -> list[tuple[str, str]]:
    """Sentences with a class that some of their letters tell."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(many):
        label = "past" if rng.random() < 0.6 else "pres"
        letters = "aab" if label == "past" else "abb"
        words = ["".join(rng.choice([*letters, *"cde"], 6)) for _ in range(4)]
        found.append((" ".join(words), label))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("mteb")
    rows = texts(sum(many for _, many in SPLIT))
    splits = [split for split, many in SPLIT for _ in range(many)]
    lines = [f"{t}\t{y}\t{s}" for (t, y), s in zip(rows, splits, strict=True)]
    (place / "mine.tsv").write_text("\n".join(["text\tlabel\tsplit", *lines]) + "\n", "utf-8")
    lingprobe.build(f"table:{place / 'mine.tsv'}", place / "made", hub=True, licence="CC0")
    return place / "made"


def vectors(given: list[str]) -> np.ndarray:
    """How often each letter occurs."""
    return np.array([[text.count(letter) for letter in "abcde"] for text in given], float)


@pytest.fixture
def tasks_of(folder, monkeypatch, tmp_path):
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    spec = importlib.util.spec_from_file_location("mteb_tasks", folder / "mteb_tasks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.tasks


class Letters:
    """A model as mteb takes one."""

    def __init__(self) -> None:
        from mteb.models import ModelMeta

        self.mteb_model_meta = ModelMeta.create_empty({"name": "me/letters", "revision": "1"})

    def encode(self, inputs, **_: object) -> np.ndarray:
        return vectors([text for batch in inputs for text in batch["text"]])

    def similarity(self, *_: object) -> None:
        raise NotImplementedError

    similarity_pairwise = similarity


def by_hand(folder, many: int, draws: int) -> float:
    """The mean accuracy of classifiers that are fitted to the first examples of each class, the
    order of all being shuffled again for each of them.
    """
    import pyarrow.parquet as pq

    train, test = (
        pq.read_table(folder / "data" / f"{s}.parquet").to_pydict() for s in ("train", "test")
    )
    order, scores = list(range(len(train["text"]))), []
    for _ in range(draws):
        rng = np.random.RandomState(SEED)
        rng.shuffle(order)
        known, chosen = Counter(), []
        for i in order:
            if known[train["label"][i]] < many:
                known[train["label"][i]] += 1
                chosen.append(i)
        fitted = LogisticRegression(max_iter=100)
        fitted.fit(vectors([train["text"][i] for i in chosen]), [train["label"][i] for i in chosen])
        right = fitted.predict(vectors(test["text"])) == np.array(test["label"])
        scores.append(right.mean())
    return float(np.mean(scores))


@pytest.mark.parametrize(("many", "draws"), [(None, 1), (8, 3)])
def test_mteb_scores_what_scikit_learn_does(many, draws, tasks_of, folder):
    import mteb

    (task,) = tasks_of(many, draws)
    found = mteb.evaluate(Letters(), task, cache=None, show_progress_bar=False)
    said = json.loads((folder / "mteb_tasks.json").read_text("utf-8"))[0]
    assert said["largest_class"] > 30
    score = found.task_results[0].get_score()
    assert 0.5 < score < 1
    assert score == pytest.approx(by_hand(folder, many or said["largest_class"], draws))


def test_lingprobe_reads_the_sets_and_not_the_files_beside_them(folder):
    assert len(TASKS.make(f"table:{folder}").load()) == sum(many for _, many in SPLIT)


def test_names_differ_where_data_or_draws_do(tasks_of):
    """mteb keeps results by the name alone."""
    (whole,), (few,) = tasks_of(), tasks_of(8, 10)
    assert whole.metadata.name != few.metadata.name
    assert whole.metadata.revision[:8] in whole.metadata.name
    assert whole.metadata.name.startswith("made-")


def test_what_fits_no_program_gets_none():
    def made(*examples: Example) -> Dataset:
        return Dataset.of(examples)

    one, other = (Sentence.of(text.split()) for text in ("a b", "b c d"))
    sentences = made(Example.about(one, "x", "train"), Example.about(other, "y", "test"))
    assert tool_for(sentences, "accuracy") == "mteb"
    assert tool_for(sentences, "mine.py@metric") == ""
    scores = made(Example.about(one, 1.0, "train"), Example.about(other, 2.0, "test"))
    assert tool_for(scores, "pearson") == ""
    asked = made(
        *(Example((Site(s),), y, "train", asked=("b",)) for s, y in ((one, "x"), (other, "y")))
    )
    assert tool_for(asked, "accuracy") == ""
