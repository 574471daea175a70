"""A probe to keep: it is trained, scores texts and vectors, is written, and read again."""

from __future__ import annotations

import csv
import json
import pickle
import shutil
import struct
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner

import lingprobe
from fixtures.models import transformer
from lingprobe.api.trained import ProbeTrace
from lingprobe.cli import app
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import LingprobeError, UsageProblem
from lingprobe.store.probe_folder import _FACTS_FILE, _NUMBERS_FILE
from lingprobe.testing import TINY_DATASET_FAMILIES

HOW = "dtype=float32,device=cpu"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return transformer(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def data():
    dataset = TINY_DATASET_FAMILIES["sentence"]((240, 160, 160))
    texts = [example.sites[0].sentence.text for example in dataset.examples()]
    labels = [example.label for example in dataset.examples()]
    verbs = [example.strata["verb"] for example in dataset.examples()]
    splits = [example.split for example in dataset.examples()]
    return {"text": texts, "label": labels, "split": splits, "verb": verbs}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, model, data):
    """Results of a run on a file, over all layers."""
    root = tmp_path_factory.mktemp("run")
    with (root / "mine.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(data)
        writer.writerows(zip(*data.values(), strict=True))
    lingprobe.run(
        f"table:{root}/mine.csv,group=verb",
        f"hf:{model},layers=all,{HOW}",
        output=root / "results",
        cache=root / "cache",
        copies=False,
    )
    return root


@pytest.fixture
def run_cli():
    """A command's output; with a code, what it says of a failure."""

    def run(*arguments, code=0):
        done = CliRunner().invoke(app, [str(each) for each in arguments])
        if code:
            assert isinstance(done.exception, LingprobeError)
            return str(done.exception)
        assert done.exit_code == 0, done.output
        return done.output

    return run


@pytest.fixture
def probe(folder, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(folder / "cache"))
    return lingprobe.load_evaluation(folder / "results").trained(encoder="hf:*")


def test_the_probe_of_a_run_answers_as_it_did(folder, monkeypatch, data):
    monkeypatch.setenv("LINGPROBE_CACHE", str(folder / "cache"))
    evaluation = lingprobe.load_evaluation(folder / "results")
    for layer in ("0", 1, "2"):
        probe = evaluation.trained(encoder="hf:*", layer=layer)
        (result,) = [
            each
            for each in evaluation.results
            if each.trial.read == str(layer) and each.trial.encoder.startswith("hf:")
        ]
        texts = [t for t, s in zip(data["text"], data["split"], strict=True) if s == "test"]
        assert probe.predict(texts).tolist() == list(result.predicted.plain())
        assert probe.layer == str(layer)
        assert probe.facts.score.score == 100 * result.score


def test_without_a_layer_it_is_the_best_on_dev(folder, probe):
    results = lingprobe.results(folder / "results")
    dev = {r.trial.read: r.provenance.choice.dev for r in results if r.trial.encoder[:3] == "hf:"}
    assert len(dev) == 3
    assert dev[probe.layer] == max(dev.values())


def test_what_is_not_there_is_said_in_short(folder, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(folder / "cache"))
    evaluation = lingprobe.load_evaluation(folder / "results")
    with pytest.raises(DataProblem, match=r"these tasks and encoders matches: layers are 0, 1, 2$"):
        evaluation.trained(encoder="hf:*", layer=9)
    data = folder / "mine.csv"
    gone = data.rename(folder / "gone.csv")
    try:
        with pytest.raises(DataProblem, match="cannot be made again") as told:
            evaluation.trained(encoder="hf:*", layer=1)
    finally:
        gone.rename(data)
    assert "encoding=none" not in str(told.value)
    assert "adapter=none" not in str(told.value)


def test_scores_are_the_same_bits_after_the_round_trip(probe, tmp_path, data):
    texts = data["text"][:50]
    vectors = np.random.default_rng(0).normal(size=(40, probe.weights.shape[1])) * 3
    read = lingprobe.load_probe(probe.save(tmp_path / "kept"))
    assert np.array_equal(probe.score(vectors), read.score(vectors))
    assert np.array_equal(probe.score(texts), read.score(texts))
    assert read.facts == probe.facts
    assert str(read.threshold(0.05)) == str(probe.threshold(0.05))
    assert read.card == probe.card == (tmp_path / "kept" / "README.md").read_text()
    again = pickle.loads(pickle.dumps(read))
    assert np.array_equal(again.score(vectors), read.score(vectors))
    read.save(tmp_path / "kept")  # where one lies already


def test_probabilities_are_those_of_weights_and_bias(probe):
    vectors = np.random.default_rng(1).normal(size=(30, probe.weights.shape[1]))
    logits = vectors @ probe.weights.T + probe.bias
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert np.allclose(probe.score(vectors), shares, atol=1e-12)
    assert np.allclose(probe.decision_function(vectors), logits[:, 1] - logits[:, 0])
    side = vectors @ probe.direction
    margin = (logits @ [-1, 1]) * (1 if probe.facts.positive == probe.labels[1] else -1)
    assert np.isclose(np.linalg.norm(probe.direction), 1)
    assert np.isclose(np.corrcoef(side, margin)[0, 1], 1)
    assert (probe.predict(vectors) == probe.classes_[shares.argmax(1)]).all()


def test_it_is_a_fitted_classifier_of_scikit_learn(probe, data):
    embedded = lingprobe.embed(data["text"], f"{probe.facts.encoder.reference}")
    (vectors,) = (each.vectors for each in embedded.values())
    x, y = np.asarray(vectors.layer(probe.layer)), np.array(data["label"])
    pipeline = make_pipeline("passthrough", probe)
    assert np.array_equal(pipeline.predict_proba(x), probe.score(x))
    assert clone(probe) is probe
    assert probe.fit(x, y) is probe
    found = cross_val_score(probe, x, y, scoring="roc_auc", cv=3)
    assert len(found) == 3
    assert (
        abs(found.mean() - roc_auc_score(y == probe.classes_[1], probe.decision_function(x))) < 0.1
    )
    assert (probe.score(x) == probe.predict_proba(x)).all()


def test_the_threshold_is_from_dev_and_its_rate_of_test(probe):
    found = probe.threshold(0.05)
    arrays = probe.arrays
    negatives = np.sort(arrays["dev_margins"][arrays["dev_positive"] == 0])
    assert (negatives > found.margin).sum() == int(0.05 * (len(negatives) + 1)) - 1
    test = arrays["test_margins"] > found.margin
    passed = test[arrays["test_positive"] == 0]
    assert found.achieved == passed.mean()
    assert found.recall == test[arrays["test_positive"] == 1].mean()
    assert found.achieved_low <= found.achieved <= found.achieved_high
    assert np.isclose(found.probability, 1 / (1 + np.exp(-found.margin)))
    other = next(name for name in probe.labels if name != found.positive)
    assert probe.threshold(0.05, positive=other).positive == other
    with pytest.raises(UsageProblem, match="negative examples in dev"):
        probe.threshold(0.0001)
    with pytest.raises(UsageProblem, match="between 0 and 1"):
        probe.threshold(5)


def test_intervals_know_what_was_sampled_together(probe):
    assert probe.arrays["test_clusters"].shape[1] == probe.facts.task.test
    assert len(probe.arrays["test_clusters"])


def test_the_mean_of_a_trace_is_the_margin_of_the_text(probe, data):
    text = data["text"][0]
    trace = probe.trace(text)
    logits = probe._logits([text])[0]
    place = probe.labels.index(probe.facts.positive)
    mean = trace.margins[trace.counted].mean()
    assert np.isclose(mean, logits[place] - logits[1 - place], atol=1e-4)
    assert len(trace) == len(trace.scores) == len(trace.tokens)
    assert np.allclose(trace.scores.sum(1), 1)
    assert trace.html.count("<span") == len(trace)


def test_text_in_a_trace_is_no_markup():
    one = np.ones(1)
    page = ProbeTrace(("<b>",), np.ones((1, 2)), one, one > 0, ("x", '">'), '">').html
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert 'title="&quot;&gt;: +1.000"' in page


def test_the_card_says_where_it_fails(probe):
    card = probe.card
    assert "## Where it fails" in card
    assert "subgroup" in card
    assert "verb" in card
    assert "length" in card  # a baseline
    assert f"{probe.facts.score.score:.1f}" in card


def test_fit_is_one_line(model, data, tmp_path):
    reference = f"hf:{model},{HOW}"
    some = {"text": data["text"], "label": data["label"], "split": data["split"]}
    probe = lingprobe.fit(reference, some, layer=1, probe="means", baselines="none")
    assert probe.layer == "1"
    assert probe.facts.probe == "means"
    kept = lingprobe.load_probe(probe.save(tmp_path / "kept"))
    assert np.array_equal(kept.score(data["text"][:9]), probe.score(data["text"][:9]))
    assert kept.facts.task.train == 240


def test_a_loaded_model_is_given_again(model, data, tmp_path):
    from transformers import AutoModel, AutoTokenizer

    parts = AutoModel.from_pretrained(model), AutoTokenizer.from_pretrained(model)
    probe = lingprobe.fit(parts, data | {}, baselines="none")
    kept = lingprobe.load_probe(probe.save(tmp_path / "kept"))
    with pytest.raises(UsageProblem, match="give it again"):
        kept.score(data["text"][:2])
    again = lingprobe.load_probe(tmp_path / "kept", parts)
    assert np.array_equal(again.score(data["text"][:9]), probe.score(data["text"][:9]))
    changed = AutoModel.from_pretrained(model)
    changed.encoder.layer[0].output.dense.bias.data += 1
    with pytest.raises(DataProblem, match="other weights need another probe"):
        lingprobe.load_probe(tmp_path / "kept", (changed, parts[1]))


def test_another_model_layer_or_width_is_refused(probe, model, tmp_path, data):
    kept = probe.save(tmp_path / "kept")
    other = transformer(tmp_path / "other", dim=16)
    with pytest.raises(DataProblem, match="other weights need another probe"):
        lingprobe.load_probe(kept, f"hf:{other},{HOW}")
    missing = "0" if probe.layer != "0" else "1"
    with pytest.raises(
        DataProblem, match=f"trained on layer {probe.layer} of .*, and .* gives {missing}"
    ):
        lingprobe.load_probe(kept, f"hf:{model},layers={missing},{HOW}")
    with pytest.raises(DataProblem, match="reads texts otherwise"):
        lingprobe.load_probe(kept, f"hf:{model},pool=max,{HOW}")
    read = lingprobe.load_probe(kept, f"hf:{model},layers=all,{HOW}")
    assert np.array_equal(read.score(data["text"][:5]), probe.score(data["text"][:5]))
    with pytest.raises(DataProblem, match="vectors of shape"):
        read.score(np.zeros((3, 7)))
    with pytest.raises(DataProblem, match="not finite"):
        read.score(np.full((3, read.weights.shape[1]), np.nan))
    with pytest.raises(UsageProblem, match="one text"):
        read.score("a text")
    with pytest.raises(UsageProblem, match="text 1 is empty"):
        read.score(["a", " "])


def damage(kept, change):
    """The numbers' file with another header."""
    path = kept / _NUMBERS_FILE
    content = path.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + length])
    changed = json.dumps(change(header)).encode()
    path.write_bytes(struct.pack("<Q", len(changed)) + changed + content[8 + length :])


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda kept: (kept / _NUMBERS_FILE).write_bytes(b"\xff" * 64), "header of"),
        (lambda kept: (kept / _NUMBERS_FILE).write_bytes(b""), "header of"),
        (lambda kept: (kept / _NUMBERS_FILE).unlink(), "is missing"),
        (lambda kept: (kept / _FACTS_FILE).unlink(), "no trained probe"),
        (lambda kept: (kept / _FACTS_FILE).write_text("[]"), "the facts of a probe"),
        (lambda kept: (kept / _FACTS_FILE).write_text('{"format": 99}'), "update lingprobe"),
        (lambda kept: damage(kept, lambda h: h | {"evil": h["bias"]}), "one after the other"),
        (
            lambda kept: damage(
                kept, lambda h: h | {"weights": h["weights"] | {"shape": [2**40, 2**20]}}
            ),
            "bytes for shape",
        ),
        (
            lambda kept: (kept / _FACTS_FILE).write_text(
                (kept / _FACTS_FILE).read_text().replace('"accuracy"', '"kappa"')
            ),
            "was changed",
        ),
    ],
)
def test_damaged_folders_are_refused(probe, tmp_path, harm, said):
    kept = probe.save(tmp_path / "kept")
    harm(kept)
    with pytest.raises(DataProblem, match=said):
        lingprobe.load_probe(kept)


def test_large_files_are_refused_before_they_are_read(probe, tmp_path):
    kept = probe.save(tmp_path / "kept")
    with (kept / _FACTS_FILE).open("r+b") as file:
        file.truncate(2**34)  # a sparse file
    with pytest.raises(DataProblem, match="such a file has at most"):
        lingprobe.load_probe(kept)


def test_a_folder_with_other_files_is_left_alone(probe, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(DataProblem, match="other files"):
        probe.save(tmp_path)


def test_code_that_a_folder_names_is_not_run(probe, tmp_path, data):
    kept = probe.save(tmp_path / "kept")
    code = tmp_path / "evil.py"
    code.write_text("raise SystemExit('run')\n")
    facts = (kept / _FACTS_FILE).read_text()
    reference = json.loads(facts)["encoder"]["reference"]
    (kept / _FACTS_FILE).write_text(facts.replace(reference, f"{code}@thing"))
    found = lingprobe.load_probe
    with pytest.raises(DataProblem, match="was changed"):
        found(kept)
    stored = probe.facts

    named = replace(stored, encoder=replace(stored.encoder, reference=f"{code}@thing"))
    replace(probe, facts=named).save(tmp_path / "named")
    with pytest.raises(LingprobeError, match="trust"):
        found(tmp_path / "named").score(data["text"][:2])


def test_what_is_not_linear_or_not_clear_is_refused(data):
    evaluation = lingprobe.evaluate(["length", "bow:random"], data, baselines="none")
    with pytest.raises(UsageProblem, match="and 2 are meant"):
        evaluation.trained()
    with pytest.raises(DataProblem, match="not linear"):
        lingprobe.fit("length", data, probe="mlp,hidden=0", baselines="none")
    with pytest.raises(UsageProblem, match="fit takes one model"):
        lingprobe.fit(["length", "bow:random"], data)
    with pytest.raises(UsageProblem, match=r"of vectors make \(texts, vectors\)"):
        lingprobe.fit(np.zeros((4, 3)), ["a", "b", "a", "b"])


def test_data_that_changed_are_told(folder, monkeypatch, tmp_path):

    shutil.copytree(folder, tmp_path / "copy")
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "copy" / "cache"))
    path = folder / "mine.csv"
    before = path.read_text()
    try:
        path.write_text(before.replace("teacher", "preacher"))
        evaluation = lingprobe.load_evaluation(tmp_path / "copy" / "results")
        with pytest.raises(DataProblem, match="task changed since"):
            evaluation.trained(encoder="hf:*")
    finally:
        path.write_text(before)


def test_sets_and_scores_can_be_kept(model, tmp_path, data):
    texts, splits = data["text"], data["split"]
    labels = [
        [v[:1] for v in {verb, "x" * (i % 3 > 0) or "y"}] for i, verb in enumerate(data["verb"])
    ]
    sets = lingprobe.fit(
        f"hf:{model},{HOW}", {"text": texts, "label": labels, "split": splits}, baselines="none"
    )
    assert sets.facts.kind == "sets"
    kept = lingprobe.load_probe(sets.save(tmp_path / "sets"))
    assert kept.predict(texts[:9]).tolist() == sets.predict(texts[:9]).tolist()
    assert ((kept.score(texts) >= 0) & (kept.score(texts) <= 1)).all()
    with pytest.raises(UsageProblem, match="two classes"):
        kept.threshold()
    with pytest.raises(UsageProblem, match="no one direction"):
        str(kept.direction)
    numbers = {"text": texts, "label": [float(len(t)) + 0.5 for t in texts], "split": splits}
    scores = lingprobe.fit(f"hf:{model},{HOW}", numbers, baselines="none")
    assert scores.facts.kind == "scores"
    kept = lingprobe.load_probe(scores.save(tmp_path / "scores"))
    assert np.array_equal(kept.predict(texts), scores.score(texts)[:, 0])
    assert kept.direction.shape == (32,)


def test_commands_keep_score_and_trace(folder, tmp_path, run_cli, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(folder / "cache"))
    monkeypatch.chdir(tmp_path)
    run_cli("probe", "keep", folder / "results", "-e", "hf:*", "--layer", "1", "-o", "kept")
    texts = ["the old teacher praised the doctor", "", "the young sailor helps the baker"]
    with open("texts.csv", "w", newline="") as file:
        csv.writer(file).writerows([["id", "text"], *([i, t] for i, t in enumerate(texts))])
    failed = run_cli("probe", "score", "kept", "texts.csv", code=True)
    assert "1 of 3 rows cannot be scored" in failed
    told = run_cli("probe", "score", "kept", "texts.csv", "--on-error", "skip", "--fpr", "0.05")
    assert "2 texts, 1 not scored" in told
    with open("texts-scores.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    probe = lingprobe.load_probe("kept")
    expected = probe.score([texts[0], texts[2]])
    assert [row["predicted"] for row in rows] == [
        probe.predict(texts[:1])[0],
        "",
        probe.predict(texts[2:])[0],
    ]
    for row, scores in zip([rows[0], rows[2]], expected, strict=True):
        assert [float(row[f"p({label})"]) for label in probe.labels] == scores.tolist()
        assert row["flagged"] in ("0", "1")
    shown = run_cli("probe", "trace", "kept", texts[0])
    assert "teacher" in shown
    run_cli("probe", "trace", "kept", texts[0], "-o", "trace.html")
    assert "<span" in (tmp_path / "trace.html").read_text()
