"""An encoder is measured only where it was trained on none of a task's sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from pretend import Pretend

from lingprobe.corpora.text import strip_to_letters
from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.experiment import exposure
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import PlanProblem, TrialDesign, make_plan
from lingprobe.experiment.run import run_plan
from lingprobe.testing import TINY_DATASET_FAMILIES
from lingprobe_extensions.train.seen import TextHashes


@dataclass
class Schooled(Pretend):
    """An encoder that was trained on some texts; None: nobody knows."""

    name: str = "schooled"
    read: tuple[str, ...] | None = ()
    asked: list[int] = field(default_factory=list)

    def saw(self):
        self.asked.append(1)
        if self.read is None:
            return None
        made = TextHashes()
        made.add(map(strip_to_letters, self.read))
        return made.distinct()


@pytest.fixture
def paths(tmp_path):
    return RunPaths.of(tmp_path / "results", tmp_path / "cache")


def table(tmp_path, family):
    write_dataset(TINY_DATASET_FAMILIES[family](), tmp_path / f"{family}.jsonl")
    return f"table:{tmp_path / f'{family}.jsonl'}"


@pytest.mark.parametrize("family", sorted(TINY_DATASET_FAMILIES))
@pytest.mark.parametrize("split", ["train", "test"])
def test_one_sentence_in_train_or_test_is_enough(family, split, tmp_path, paths):
    dataset = TINY_DATASET_FAMILIES[family]()
    row = int(dataset.rows(split)[0])
    seen = dataset.sentences[dataset.sites[row, -1, 0]].text
    many = sum(
        any(
            strip_to_letters(site.sentence.text) == strip_to_letters(seen) for site in example.sites
        )
        for example in dataset.examples()
    )
    task = table(tmp_path, family)
    made = make_plan(
        TrialDesign([task], [Schooled(read=(seen.upper(),)), "length"], seeds=1), paths
    )
    assert {trial.encoder for trial in made.trials} == {"length"}
    (said,) = made.refused.values()
    assert said.startswith(f"{many:,} of {len(dataset):,} examples (")
    assert f" of {split}" in said
    assert f"such as {seen[:60]!r}"[:-1] in said
    assert "; train it without them (`lingprobe train --exclude CORPUS`, or `-t TASK`)" in said


def test_a_refused_cell_takes_no_other_with_it(tmp_path, paths):
    one, other = table(tmp_path, "sentence"), table(tmp_path, "pair")
    seen = TINY_DATASET_FAMILIES["pair"]().sentences[0].text
    encoder = Schooled(read=(seen,))
    made = make_plan(TrialDesign([one, other], [encoder, Pretend()], ["logreg"], seeds=1), paths)
    outcome = run_plan(made, paths, progress=False)
    cells = {(r.trial.task.partition(",")[0], r.trial.encoder) for r in outcome.results}
    whole = {(task, name) for task in (one, other) for name in ("pretend", "schooled")}
    assert {(t.partition(",")[0], e) for t, e in whole} - cells == {(other, "schooled")}
    assert list(outcome.failures) == [f"schooled on {other}"]
    read = {sentence.text for call in encoder.calls for sentence in call}
    assert seen not in read


def test_an_encoder_that_saw_other_sentences_is_measured(tmp_path, paths):
    made = make_plan(
        TrialDesign([table(tmp_path, "pair")], [Schooled(read=("other", "!"))], seeds=1), paths
    )
    assert {trial.encoder for trial in made.trials} == {"schooled"}
    assert not made.refused
    assert not made.remarks


def test_one_of_which_nobody_knows_is_measured_with_a_remark(tmp_path, paths):
    made = make_plan(
        TrialDesign([table(tmp_path, "sentence")], [Schooled(read=None)], seeds=1), paths
    )
    assert made.trials
    assert list(made.remarks.values()) == [f"schooled: {exposure._UNKNOWN}"]


def test_damage_is_told_and_others_go_on(tmp_path, paths):
    class Damaged(Schooled):
        def saw(self):
            raise DataProblem("seen.npy is damaged")

    task = table(tmp_path, "sentence")
    made = make_plan(TrialDesign([task], [Damaged(), "length"], seeds=1), paths)
    assert list(made.refused.values()) == ["seen.npy is damaged"]
    assert {trial.encoder for trial in made.trials} == {"length"}
    with pytest.raises(PlanProblem, match=r"nothing to measure: .*seen\.npy is damaged"):
        make_plan(TrialDesign([task], [Damaged()], seeds=1), paths)


def test_sentences_are_hashed_once_a_data_set_and_what_was_found_is_remembered(
    tmp_path, paths, monkeypatch
):
    hashed, hashes_of = [], exposure.hash_sentences
    monkeypatch.setattr(exposure, "hash_sentences", lambda s: hashed.append(s) or hashes_of(s))
    monkeypatch.setattr(exposure, "_hashes", {})
    seen = TINY_DATASET_FAMILIES["sentence"]().sentences[0].text
    several = {f"e{i}": Schooled(f"e{i}", read=(seen, *"ab"[:i])) for i in range(3)}
    design = TrialDesign([table(tmp_path, "sentence")], {**several, "p": Pretend()}, seeds=1)
    first = make_plan(design, paths)
    assert len(hashed) == 1
    assert len(first.refused) == 3
    monkeypatch.setattr(exposure, "_hashes", {})
    assert make_plan(design, paths).refused == first.refused
    assert len(hashed) == 1
    assert all(len(encoder.asked) == 2 for encoder in several.values())


def test_a_hash_more_and_the_answer_is_another(tmp_path, paths):
    task = table(tmp_path, "sentence")
    seen = TINY_DATASET_FAMILIES["sentence"]().sentences[0].text
    assert not make_plan(TrialDesign([task], [Schooled(read=("x",))], seeds=1), paths).refused
    with pytest.raises(PlanProblem, match="that this encoder was trained on"):
        make_plan(TrialDesign([task], [Schooled(read=("x", seen))], seeds=1), paths)
    assert np.array_equal(Schooled(read=("x", "x")).saw(), Schooled(read=("x",)).saw())
