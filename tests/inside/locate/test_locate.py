"""Where a property is, and whether it is used, of models whose weights were written."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lingprobe
from lingprobe import UsageProblem
from lingprobe.cli import app
from lingprobe.inside.erase.effect_cells import decide_use
from lingprobe.inside.erase.target import LayerInterventions
from lingprobe.inside.heads.effects import SiteEffects
from lingprobe.inside.locate.search import correct_sites, describe_site

PLANTED = Path(__file__).parents[3] / "benchmarks" / "planted"
OPTIONS = "dtype=float32,device=cpu"


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """An instance in which one head moves number from the noun."""
    sys.path.insert(0, str(PLANTED))
    try:
        import models
    finally:
        sys.path.remove(str(PLANTED))
    folder = tmp_path_factory.mktemp("one-head")
    made = models.make_instance("one-head", 0)
    models.save_instance(folder, made)
    return made, folder


def locate(folder, **more):
    asked = {"pairs": f"minimal/pairs:{folder}/pairs.jsonl", "draws": 1, **more}
    return lingprobe.locate(
        f"table:{folder}/task.jsonl",
        f"lm:{folder}/model,{OPTIONS}",
        cache=folder / "cache",
        **asked,
    )


@pytest.fixture(scope="module")
def page(planted):
    return locate(planted[1])


def test_sites_that_matter_are_named_and_no_others(planted, page):
    head = planted[0].head
    block = head.removeprefix("head:").partition(".")[0]
    rows = {row.site: row for row in page.content}
    state = next(site for site, row in rows.items() if row.use)
    assert {site for site, row in rows.items() if row.matters} == {state, head, f"attn:{block}"}
    assert rows[state].use == "used"
    assert rows[state].erased_verdict == "falls"
    where, erased, used, untried = page.tables[0].lead
    assert "layers and parts" in where or "beyond the surface at" in where
    assert erased.startswith(f"Erased at layer {state}, it falls below every baseline")
    assert f"The model uses it at layer {state}: moved" in used
    named = used.partition("rests on ")[2]
    assert {head, f"attn:{block}"} == {word for word in named.split() if ":" in word}
    assert untried.startswith("Not tried: changes of the states of other layers than")


def test_all_sites_are_in_the_grid_and_in_the_figure(planted, page, tmp_path):
    blocks, heads = planted[0].shape["n_layer"], planted[0].shape["n_head"]
    assert len(page.content) == 1 + blocks * (1 + 2 + heads)
    page.write(tmp_path / "grid.svg")
    assert "<svg" in (tmp_path / "grid.svg").read_text()


def test_what_was_measured_is_not_measured_again(planted, page, monkeypatch):
    def fail(*given, **named):
        raise AssertionError("it was measured again")

    monkeypatch.setattr(LayerInterventions, "measure", fail)
    monkeypatch.setattr(SiteEffects, "measure", fail)
    assert locate(planted[1]).text("csv") == page.text("csv")
    with pytest.raises(AssertionError, match="measured again"):
        locate(planted[1], draws=2)


def test_the_command_is_the_function_and_estimates_first(planted, page):
    folder = planted[1]
    arguments = [
        "inside", "locate", f"table:{folder}/task.jsonl", f"lm:{folder}/model,{OPTIONS}",
        "--pairs", f"minimal/pairs:{folder}/pairs.jsonl", "--draws", "1",
        "--cache", str(folder / "cache"), "--format", "csv",
    ]  # fmt: skip
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert done.stdout == page.text("csv")
    layers = planted[0].shape["n_layer"] + 1
    assert f"{layers} layers, their parts and heads; about 1 min" in done.stderr


def test_a_loaded_model_without_pairs_is_located_and_its_use_is_not_told(planted):
    from transformers import AutoModel, AutoTokenizer

    folder = planted[1]
    model = AutoModel.from_pretrained(folder / "model")
    tokenizer = AutoTokenizer.from_pretrained(folder / "model")
    found = lingprobe.locate(
        f"table:{folder}/task.jsonl", (model, tokenizer), cache=folder / "cache", draws=1
    )
    changed = [row for row in found.content if row.matters_tried]
    assert len(changed) == 3
    assert not any(row.matters for row in found.content)
    assert "Whether the model uses it was not tested" in found.tables[0].lead[2]
    assert all(math.isnan(row.margin) for row in found.content)
    named = lingprobe.locate(
        f"table:{folder}/task.jsonl", f"hf:{folder}/model,pool=none",  # as a loaded one is read
        cache=folder / "cache", draws=1,
    )  # fmt: skip
    assert [row.score for row in named.content] == [row.score for row in found.content]
    assert [row.erased_after for row in named.content if row.matters_tried] == [
        row.erased_after for row in changed
    ]


def test_sites_are_one_family(planted):
    folder = planted[1]
    cells = lingprobe.intervene(
        f"table:{folder}/task.jsonl", f"lm:{folder}/model,{OPTIONS}", layer=1, draws=1,
        pairs=f"minimal/pairs:{folder}/pairs.jsonl", cache=folder / "cache",
    ).content  # fmt: skip
    assert decide_use(cells)[0] == "used"
    weak = [replace(c, beyond_p=min(c.beyond_p, 0.03), label_p=0.03) for c in cells]
    assert decide_use(weak)[0] == "used"
    assert decide_use(correct_sites({"1": weak})["1"])[0] == "used"
    assert decide_use(correct_sites({"1": weak, "2": weak})["1"])[0] != "used"


def test_what_the_last_block_gives_is_used_and_a_state_has_two_names(planted):
    """Behind the last block there is no state that anything reads, but for the head of the model."""
    instance, folder = planted
    task, pairs = f"table:{folder}/task.jsonl", f"minimal/pairs:{folder}/pairs.jsonl"
    after = {}
    for layer in ("1", "pre:2", f"post:{instance.shape['n_layer']}"):
        cells = lingprobe.intervene(
            task, f"lm:{folder}/model,{OPTIONS}", layer=layer, draws=1, limit=120, pairs=pairs,
            cache=folder / "cache",
        ).content  # fmt: skip
        assert decide_use(cells)[0] == "used"
        after[layer] = {c.measured: c.after for c in cells if c.change == "erased"}
    assert len(after["1"]) > 2
    assert after["1"] == after["pre:2"]


def test_places_have_names():
    places = {"3": (3, "residual"), "mlp:2": (2, "mlp"), "head:4.7": (4, "head 7")}
    assert {name: describe_site(name) for name in places} == places


def test_a_model_without_states_is_refused(planted):
    with pytest.raises(UsageProblem, match="hf:MODEL, lm:MODEL, and"):
        lingprobe.locate(f"table:{planted[1]}/task.jsonl", "bow:random")
