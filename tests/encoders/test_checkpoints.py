"""References that stand for an encoder at several points of its training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lingprobe
from fixtures.models import SENTENCES, transformer
from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference, ReferenceProblem
from lingprobe.encoders import ENCODERS, make_encoder
from lingprobe.encoders.checkpoints import named_point
from lingprobe.encoders.hub import find_model_files
from lingprobe.experiment.readers import map_encoders_by_name

STEPS = {"step0": 0.0, "step1000": 0.5, "step2000": 1.0}
COMMITS = {name: str(i) * 40 for i, name in enumerate(STEPS, 1)}


def expanded(text: str) -> list[str]:
    return [str(each) for each in ENCODERS.expand(text)]


@pytest.mark.parametrize(
    ("reference", "run", "at", "unit"),
    [
        ("hf:org/pythia%40step1000,layers=last", "hf:org/pythia,layers=last", 1000, "step"),
        ("hf:org/OLMo%40step1000-tokens4B", "hf:org/OLMo", 1000, "step"),
        ("hf:org/bloom%40global_step70", "hf:org/bloom", 70, "step"),
        ("hf:org/multiberts-seed_0-step_20k", "hf:org/multiberts-seed_0", 20_000, "step"),
        ("hf:out/checkpoint-500,pool=cls", "hf:out,pool=cls", 500, "step"),
        ("hf:runs/model-epoch-3", "hf:runs/model", 3, "epoch"),
        ("mine step 100", "mine", 100, "step"),
    ],
)
def test_names_and_revisions_say_how_far_a_training_had_come(reference, run, at, unit):
    assert named_point(reference) == (run, at, unit)


@pytest.mark.parametrize(
    "reference",
    ["hf:bert-base", "hf:step-1/final", "mine", "hf:footstep7", "hf:org/name%40main", "bow:random"],
)
def test_other_names_say_nothing_of_training(reference):
    assert named_point(reference) is None


def test_revisions_are_encoders_of_their_own():
    assert expanded("hf:org/m,revisions=step1+step20,layers=2") == [
        "hf:org/m%40step1,layers=2",
        "hf:org/m%40step20,layers=2",
    ]
    assert expanded("st:org/m,revisions=v1") == ["st:org/m%40v1"]
    assert expanded("hf:org/m-seed_0-step_*,revisions=20k+40k") == [
        "hf:org/m-seed_0-step_20k",
        "hf:org/m-seed_0-step_40k",
    ]
    assert expanded("hf:org/m%40v1") == ["hf:org/m%40v1"]
    assert expanded("length") == ["length"]


def test_folders_of_a_training_come_in_the_order_of_its_steps(tmp_path, monkeypatch):
    for step in (500, 1000, 90):
        (tmp_path / "out" / f"checkpoint-{step}").mkdir(parents=True)
    (tmp_path / "out" / "checkpoint-7").write_text("no folder")
    named = [f"checkpoint-{step}" for step in (90, 500, 1000)]
    pattern = f"hf:{tmp_path}/out/checkpoint-*,pool=cls"
    assert expanded(pattern) == [f"hf:{tmp_path}/out/{name},pool=cls" for name in named]
    monkeypatch.chdir(tmp_path)
    assert expanded("hf:out/checkpoint-*") == [f"hf:out/{name}" for name in named]
    with pytest.raises(DataProblem, match=r"no folder matches out/step-\*"):
        ENCODERS.expand("hf:out/step-*")


@pytest.mark.parametrize("reference", ["hf:org/m%40v1,revisions=v2", "hf:org/m,revisions=+"])
def test_revisions_that_name_nothing_say_what_to_write(reference):
    with pytest.raises(DataProblem, match=r"write NAME,revisions=A\+B for NAME@A and NAME@B"):
        ENCODERS.expand(reference)


def test_where_one_encoder_goes_several_are_refused():
    with pytest.raises(
        ReferenceProblem, match="stands for 2 encoders, where one is expected, such as hf"
    ):
        make_encoder("hf:org/m,revisions=a+b")


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A small transformer."""
    return transformer(tmp_path_factory.mktemp("model"))


@pytest.fixture
def hub(model: Path, tmp_path, monkeypatch) -> None:
    """The hub's cache with three revisions of a model, org/name; its weights grow from nothing."""
    from safetensors.torch import load_file, save_file

    repository = tmp_path / "models--org--name"
    (repository / "refs").mkdir(parents=True)
    for name, share in STEPS.items():
        (repository / "refs" / name).write_text(COMMITS[name])
        folder = repository / "snapshots" / COMMITS[name]
        folder.mkdir(parents=True)
        for file in model.iterdir():
            if file.suffix == ".json":
                (folder / file.name).write_bytes(file.read_bytes())
        weights = load_file(model / "model.safetensors")
        save_file({k: share * v for k, v in weights.items()}, folder / "model.safetensors",
                  {"format": "pt"})  # fmt: skip
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    find_model_files.cache_clear()
    yield
    find_model_files.cache_clear()


@pytest.mark.usefixtures("hub")
def test_each_revision_has_weights_of_its_own():
    encoders = map_encoders_by_name(["hf:org/name,revisions=step0+step1000+step2000,device=cpu"])
    assert [Reference.parse(name).argument for name in encoders] == [
        f"org/name@{step}" for step in STEPS
    ]
    first, *_, last = vectors = [
        encoder.encode(SENTENCES[:4]).layers[0] for encoder in encoders.values()
    ]
    assert len({each.tobytes() for each in vectors}) == 3
    assert np.ptp(first, axis=0).max() == 0  # weights of nothing tell no sentence from another
    assert np.ptp(last, axis=0).max() > 0
    for encoder, commit in zip(encoders.values(), COMMITS.values(), strict=True):
        assert f"commit={commit}" in encoder.fingerprint


@pytest.mark.usefixtures("hub")
def test_a_revision_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataProblem, match="org/name"):
        _ = [
            e.fingerprint
            for e in map_encoders_by_name(["hf:org/name,revisions=step0+step7"]).values()
        ]


@pytest.mark.usefixtures("hub")
def test_vectors_are_filled_for_every_revision(tmp_path):
    told = lingprobe.embed(
        SENTENCES[:4], "hf:org/name,revisions=step0+step1000", cache=tmp_path / "c"
    )
    assert list(told) == ["hf:org/name%40step0", "hf:org/name%40step1000"]
