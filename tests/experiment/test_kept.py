"""What a result keeps beside its score: strata, constants, samples, and the code of its labels."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

from fixtures.scored import page, to_frame
from lingprobe import evaluate
from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.experiment.plan import resolve_tasks
from lingprobe.pages.breakdown import compute_stratum_rows
from lingprobe.tables.formats import format_terminal_table


@dataclass(frozen=True)
class Distances:
    """A task about the first word of each sentence, tagged by a distance, and by what no two
    examples share.
    """

    name: str = "distances"
    question: str = "Which is it?"
    metric: str = "micro-f1"
    probe: str = "logreg"
    view: str = "mean"

    def load(self) -> Dataset:
        rng = np.random.default_rng(0)
        examples = []
        for i in range(300):
            word, split = (
                str(rng.choice(["red", "blue", "green"])),
                "train" if i < 150 else "dev" if i < 200 else "test",
            )
            site = Site(Sentence.of([word, f"n{i}"]))
            examples.append(
                Example((site,), word, split, strata={"distance": str(i % 3), "record": str(i)})
            )
        return Dataset.of(examples)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    place = tmp_path_factory.mktemp("kept")
    how = {
        "probes": ["online:logreg"],
        "controls": ["none", "word-labels"],
        "seeds": 2,
        "baselines": "none",
    }
    done = evaluate("bow:random,dim=16", [Distances()], **how, cache=place, progress=False)
    assert not done.failures
    return done


def test_test_examples_keep_their_tags_but_for_those_of_their_own(found):
    for result in found.results:
        assert set(result.strata) == {
            "distance",
            *(["key seen"] if result.trial.control != "none" else []),
        }
        assert len(result.strata["distance"].codes) == result.n
    rows = compute_stratum_rows(to_frame(found.results), "distance")
    assert {row.stratum for row in rows} == {"0", "1", "2"}
    assert sum(row.n for row in rows if row.control == "none") == 100


def test_constants_and_codes_are_kept_and_shown(found):
    one = found.results[0]
    assert set(one.provenance.constants) == {"class", "prevalent", "set"}
    code = one.provenance.choice["code"]
    assert code["ends"][-1] == 150
    assert code["bits"] == pytest.approx(sum(code["blocks"]))
    text = format_terminal_table(page(found.results))
    for column in ("selectivity", "kbit", "compression", "best set of 3"):
        assert column in text


def test_a_star_stands_for_all_samples(tmp_path):
    rows = [
        {"text": f"w{i} x", "targets": [{"span1": [0, 1], "label": "ab"[i % 2]}]} for i in range(40)
    ]
    (tmp_path / "data").mkdir()
    for split, part in (("train", rows[:20]), ("dev", rows[20:30]), ("test", rows[30:])):
        (tmp_path / "data" / f"{split}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in part)
        )
    made, refused = resolve_tasks(
        [f"edge/jsonl:{tmp_path / 'data'},sample=*/5"], tmp_path / "cache"
    )
    assert not refused
    assert [len(task.load().rows("train")) for task in made.values()] == [16] * 5
    assert [f"sample={k}/5" in name for k, name in enumerate(made, 1)] == [True] * 5


def test_folds_are_refused_for_what_is_wrong_with_them(tmp_path):
    """As a whole these data have that many examples; in five parts that are balanced each for
    itself they have fewer."""
    made, refused = resolve_tasks(["ud/tree-depth:embedded,size=860"], tmp_path)
    assert not made
    (why,) = refused.values()
    assert why.startswith("size=860 is not possible")


def test_a_star_stands_for_all_folds(tmp_path):
    made, refused = resolve_tasks(["ud/tense:embedded,fold=*/3"], tmp_path)
    assert not refused
    assert [f"fold={k}/3" in name for k, name in enumerate(made, 1)] == [True] * 3
