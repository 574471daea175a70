"""Layers, encoders and languages beside each other, on small transformers of our own."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.models import transformer, vocabulary
from lingprobe import DataProblem, UsageProblem
from lingprobe.cli import app
from lingprobe.inside.geometry.answers import describe_comparisons
from lingprobe.inside.geometry.comparisons import GeometryRow
from lingprobe.inside.geometry.networks import before_training
from lingprobe.inside.geometry.texts import read_parallel_texts
from reference import geometry as reference

OPTIONS = "dtype=float32,device=cpu,layers=all"
WORDS = vocabulary()
NAN = math.nan


def lines(seed: int, many: int = 60) -> list[str]:
    """Different sentences of our own words."""
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(3, 9))) for _ in range(many)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two transformers, and a text with a translation: the same words in another order."""
    place = tmp_path_factory.mktemp("geometry")
    for name, layers in (("one", 2), ("other", 3)):
        transformer(place / name, layers=layers, dim=16)
    text = lines(0)
    (place / "a.txt").write_text("\n".join(text), "utf-8")
    turned = [" ".join(reversed(line.split())) for line in text]
    (place / "b.txt").write_text("\n".join(turned), "utf-8")
    (place / "c.txt").write_text("\n".join(lines(1)), "utf-8")
    return place


@pytest.fixture
def encoders(folder):
    return [f"hf:{folder / name},{OPTIONS}" for name in ("one", "other")]


def one(rows, measure, **places):
    (row,) = (
        row
        for row in rows
        if row.measure == measure and all(getattr(row, k) == v for k, v in places.items())
    )
    return row


def test_layers_and_encoders_are_compared_with_those_before_training(folder, encoders):
    page = lingprobe.geometry(folder / "a.txt", encoders)
    rows = page.content
    assert len([row for row in rows if row.measure == "cka"]) == 7 * 6 / 2  # of 3 and 4 layers
    text = lingprobe.sentences(folder / "a.txt")
    x, y = (lingprobe.encoders.make_encoder(name).encode(text) for name in encoders)
    first, last = (np.asarray(v.layer(n), float).tolist() for v, n in ((x, "1"), (y, "3")))
    ends = {"encoder": encoders[0], "layer": "1", "other_encoder": encoders[1], "other_layer": "3"}
    row = one(rows, "cka", **ends)
    assert row.value == pytest.approx(reference.debiased_cka(first, last), rel=1e-4)
    assert row.low < row.value < row.high <= 1
    cosine = one(rows, "cosine", encoder=encoders[0], layer="1")
    assert cosine.value == pytest.approx(reference.mean_cosine(first), rel=1e-4)
    # the network before training is the same one but for its weights, and not the other's
    drawn = [
        f"{name},weights=random{seed}" for name, seed in zip(encoders, ("", ",seed=1"), strict=True)
    ]
    plain = lingprobe.geometry(folder / "a.txt", drawn, untrained=False).content
    ends |= {"encoder": drawn[0], "other_encoder": drawn[1]}
    assert row.untrained == pytest.approx(one(plain, "cka", **ends).value)
    before = one(plain, "cosine", encoder=drawn[0], layer="1")
    assert cosine.untrained == pytest.approx(before.value)
    assert math.isnan(before.untrained)


def test_the_answer_comes_first_and_every_format_has_the_numbers(folder, encoders, tmp_path):
    page = lingprobe.geometry(folder / "a.txt", encoders)
    said = list(page.tables[0].lead)
    assert len(said) == 2 + 1 + 2
    best = max(
        (r for r in page.content if r.measure == "cka" and r.encoder != r.other_encoder),
        key=lambda row: row.value,
    )
    (between,) = (line for line in said if "most like" in line)
    assert f"layer {best.layer} of one is most like layer {best.other_layer} of other" in between
    assert f"CKA {best.value:.2f} [{best.low:.2f}, {best.high:.2f}]" in between
    assert f"untrained {best.untrained:.2f}" in between
    known = list(csv.DictReader(io.StringIO(page.text("csv"))))
    assert len(known) == len(page.content)
    objects = json.loads(page.text("json"))
    cka = next(each for each in objects if each["measure"] == "cka")
    assert cka["value"] == page.content[0].value
    assert cka["chance"] is None
    for name in ("map.svg", "map.json", "map.html", "map.tex", "map.txt"):
        page.write(tmp_path / name)
    assert "one 1" in (tmp_path / "map.svg").read_text()
    assert said[0] in str(page).replace("\n", " ")


def test_languages_find_their_translations(folder, encoders):
    page = lingprobe.geometry([folder / "a.txt", folder / "b.txt"], encoders[:1])
    found = [row for row in page.content if row.measure == "retrieval rotated"]
    assert {(row.text, row.other_text) for row in found} == {
        ("a.txt", "b.txt"),
        ("b.txt", "a.txt"),
    }
    assert {(row.n, row.chance) for row in found} == {(48, 100 / 12)}
    assert min(row.value for row in found) > 50  # the same words
    assert all(row.low <= row.value <= row.high for row in found)
    assert not math.isnan(found[0].untrained)
    (said,) = page.tables[0].lead
    assert "chosen on other sentences" in said
    assert "by chance 8.3" in said
    unlike = lingprobe.geometry([folder / "a.txt", folder / "c.txt"], encoders[:1])
    lost = [row for row in unlike.content if row.measure == "retrieval rotated"]
    assert np.mean([row.value for row in lost]) < 30


def test_the_layer_is_chosen_by_sentences_that_are_not_in_its_score():
    def row(layer, dev, value):
        names = "retrieval rotated", "hf:m", layer, "a", "hf:m", layer, "b"
        return GeometryRow(*names, 80, value, value - 1, value + 1, 5.0, NAN, 5.0, dev)

    rows = [row("1", 90, 10), row("2", 50, 99)]
    plain = [r.__class__(**{**_fields(r), "measure": "retrieval as is"}) for r in rows]
    (said,) = describe_comparisons([*rows, *plain], {"hf:m": "m"})
    assert said.startswith("m: a rotation learnt on other sentences finds 10.0 %")
    assert "in layer 1" in said


def _fields(row):
    return {name: getattr(row, name) for name in GeometryRow.__slots__}


def test_what_was_not_measured_before_training_is_no_finding(folder, encoders):
    page = lingprobe.geometry(folder / "a.txt", encoders[0], untrained=False)
    assert all("not yet a finding" in said for said in page.tables[0].lead)
    given = lingprobe.geometry(
        folder / "a.txt",
        {"mine": lambda texts: np.array([[len(t), 1.0, t.count("e")] for t in texts])},
    )
    assert any("mine has no untrained copy" in said for said in given.remarks)


def test_networks_that_are_as_alike_before_training_are_called_so():
    names = "cka", "hf:a", "1", "t", "hf:b", "2", "t"
    rows = [GeometryRow(*names, 100, 0.8, 0.7, 0.9, 0.75, 0.001)]
    (said,) = describe_comparisons(rows, {"hf:a": "a", "hf:b": "b"})
    assert said == (
        "a and b: CKA 0.80 [0.70, 0.90]; untrained 0.75, so networks are as alike before training."
    )
    rows = [GeometryRow(*names, 100, 0.8, 0.7, 0.9, 0.65, 0.001)]
    assert "as alike" not in next(describe_comparisons(rows, {}))


def test_vectors_that_are_all_the_same_have_no_likeness(folder):
    """No NaN is called a likeness, in words or in tables."""
    same = {
        "mine": lambda texts: np.ones((len(texts), 4)),
        "too": lambda texts: np.ones((len(texts), 3)),
    }
    page = lingprobe.geometry(folder / "a.txt", same)
    assert page.tables[0].lead[0].startswith("mine and too: CKA is not defined")
    assert "nan" not in str(page)
    assert "– – –" not in str(page)


def test_sentences_are_paired_by_their_names(tmp_path):
    def bank(order):
        row = "1\t{0}\t_\tX\t_\t_\t0\troot\t_\t_"
        return "".join(f"# sent_id = {k}\n{row.format(f'w{k}')}\n\n" for k in order)

    (tmp_path / "a.conllu").write_text(bank(range(50)))
    (tmp_path / "b.conllu").write_text(bank(reversed(range(5, 60))))
    texts, remarks = read_parallel_texts([str(tmp_path / "a.conllu"), str(tmp_path / "b.conllu")])
    assert [s.text for s in texts["a.conllu"]] == [s.text for s in texts["b.conllu"]]
    assert len(texts["a.conllu"]) == 45
    assert remarks == ()


def test_what_cannot_be_compared_is_refused(folder, tmp_path):
    (tmp_path / "few.txt").write_text("\n".join([*lines(2, 30), *lines(2, 30)]))
    with pytest.raises(DataProblem, match="30 different sentences; geometry needs 40"):
        lingprobe.geometry(tmp_path / "few.txt", "length")
    (tmp_path / "more.txt").write_text("\n".join(lines(3, 61)))
    with pytest.raises(DataProblem, match="different numbers of sentences"):
        lingprobe.geometry([folder / "a.txt", tmp_path / "more.txt"], "length")
    with pytest.raises(DataProblem, match="named twice"):
        lingprobe.geometry([folder / "a.txt"] * 2, "length")
    with pytest.raises(UsageProblem, match="name a text"):
        lingprobe.geometry([], "length")
    with pytest.raises(UsageProblem, match="annotation"):
        lingprobe.geometry(folder / "a.txt", "gold")


def test_repeated_sentences_are_left_out(folder, tmp_path):
    text = lines(4)
    (tmp_path / "twice.txt").write_text("\n".join([*text, *text[:7]]))
    page = lingprobe.geometry(tmp_path / "twice.txt", "bow:random,dim=8")
    assert "7 repeated sentences were excluded" in page.remarks
    assert page.content[0].n == 60


def test_the_untrained_network_has_the_options_that_matter():
    drawn = before_training("hf:m,layers=all,pool=max,revisions=a+b")
    assert str(drawn) == "hf:m,layers=all,pool=max,weights=random"
    assert str(before_training("st:m,prompt=x,device=cpu")) == "hf:m,device=cpu,weights=random"
    with pytest.raises(DataProblem, match="named as hf: or st:"):
        before_training("npz:file")


def test_the_command_prints_and_writes(folder, encoders, tmp_path):
    runner = CliRunner()
    asked = ["inside", "geometry", str(folder / "a.txt"), "-e", encoders[0], "--no-untrained", "-q"]
    shown = runner.invoke(app, asked)
    assert shown.exit_code == 0, shown.output
    assert "Representation similarity" in shown.output
    written = runner.invoke(app, [*asked, "-o", str(tmp_path / "rows.json")])
    assert written.exit_code == 0, written.output
    assert {row["encoder"] for row in json.loads((tmp_path / "rows.json").read_text())} == {
        encoders[0]
    }
