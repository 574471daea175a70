"""Minimal pairs of a folder for the hub in lm-evaluation-harness: as often right as `lm:` is."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

import lingprobe
from inside.minimal.conftest import TEST

ODD = [("the 'boy' runs {{x}}", 'the "boy" run {{x}}')]  # a template and quotes are text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Pairs with the better one first or second, as `lingprobe build --hub` writes them."""
    place = tmp_path_factory.mktemp("pairs")
    pairs = [pair[::-1] if k % 3 == 0 else pair for k, pair in enumerate([*TEST[:60], *ODD])]
    rows = [{"sentence_good": good, "sentence_bad": bad} for good, bad in pairs]
    (place / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    task = f"minimal/pairs:{place / 'mine.jsonl'}"
    lingprobe.build(task, place / "made", hub=True, licence="CC0")
    return place / "made"


@pytest.mark.skipif(not find_spec("lm_eval"), reason="lm_eval is not installed")
def test_the_harness_finds_what_lm_finds(folder, agreeing, monkeypatch, tmp_path):
    import lm_eval
    from lm_eval.tasks import TaskManager

    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    monkeypatch.chdir(tmp_path)
    found = lm_eval.simple_evaluate(
        model="hf",
        model_args={"pretrained": str(agreeing), "dtype": "float32", "device": "cpu"},
        tasks=["lingprobe"],
        task_manager=TaskManager(include_path=str(folder)),
        bootstrap_iters=0,
    )
    (theirs,) = found["results"].values()
    task = f"table:{folder},metric=preference,probe=preference,view=mean+difference"
    (ours,) = lingprobe.evaluate(f"lm:{agreeing}", task, baselines="none")
    assert 0.5 < theirs["acc,none"] < 1
    assert 100 * theirs["acc,none"] == pytest.approx(ours.score)


def test_what_the_harness_reads_is_there(folder):
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))
    task = yaml.load((folder / "made.yaml").read_text("utf-8"), Loader)
    assert task["task"] == "made"
    module, _, function = task["custom_dataset"].partition(".")
    assert f"def {function}(folder" in (folder / f"{module}.py").read_text("utf-8")
    assert (folder / task["dataset_kwargs"]["folder"] / "test.parquet").is_file()
    assert not (folder / "mteb_tasks.py").exists()
