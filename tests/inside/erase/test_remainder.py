"""`ENCODER,without=TASK`: what is left of an encoder, on sentences that no eraser saw."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lingprobe
from fixtures.models import transformer, vocabulary
from lingprobe import DataProblem
from lingprobe.corpora.training_sentences import are_among, hash_sentences
from lingprobe.data.references import Reference, ReferenceProblem
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.keys import identify_encoder
from lingprobe.inside.erase.division import divide_for_erasure
from lingprobe.inside.erase.files import read_eraser
from lingprobe.inside.erase.fitting import ERASER_BASELINES
from lingprobe.pages.captions import label_encoders, name_encoders
from lingprobe.tasks import TASKS

INNER = "bow:random,dim=16"
TASK, OTHER = "table:a.jsonl", "table:b.jsonl"
WORDS = vocabulary()


def write(name, label, n=300):
    """A table of sentences, of which the first two words are labels."""
    rng = np.random.default_rng(0)
    rows = []
    for k in range(n):
        a, b = k % 2, k // 2 % 2
        text = " ".join([WORDS[a], WORDS[2 + b], *rng.choice(WORDS[4:], 5)])
        split = ("train", "train", "train", "dev", "test")[k % 5]
        rows.append({"text": text, "label": label(a, b), "split": split})
    Path(name).write_text("\n".join(map(json.dumps, rows)))


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    write("a.jsonl", lambda a, b: "yes" if a else "no")
    write("b.jsonl", lambda a, b: "more" if b else "less")


def written(value):
    """A value as it stands within a reference."""
    return str(Reference("x", None, (("without", value),))).removeprefix("x,without=")


def without(value, more="", inner=INNER):
    return f"{inner},without={written(value)}{more}"


def vectors(reference, sentences):
    return ENCODERS.make(reference).encode(sentences).layers[0]


def test_erased_vectors_are_those_of_the_eraser_that_the_command_writes(tmp_path):
    lingprobe.erase(TASK, INNER, erasers=tmp_path, draws=1, nonlinear="", probe="logreg,c=1")
    (file,) = tmp_path.glob("*.safetensors")
    eraser = read_eraser(file).eraser
    data = TASKS.make(TASK).load()
    plain = vectors(INNER, data.sentences)
    erased = vectors(without(TASK), data.sentences)
    assert eraser.rank == 1
    assert not np.allclose(erased, plain)
    np.testing.assert_array_equal(erased, eraser(plain))
    # and those of the file
    np.testing.assert_array_equal(vectors(without(str(file)), data.sentences), erased)
    np.testing.assert_array_equal(vectors(without(TASK, ",eraser=none"), data.sentences), plain)


def test_what_is_withheld_is_the_erasers_part_and_nothing_else(tmp_path):
    lingprobe.erase(TASK, INNER, erasers=tmp_path, draws=1, nonlinear="", probe="logreg,c=1")
    (file,) = tmp_path.glob("*.safetensors")
    data = TASKS.make(TASK).load()
    (rows,) = divide_for_erasure([data])
    for reference in (without(TASK), without(TASK, ",eraser=none"), without(str(file))):
        held = ENCODERS.make(reference).withholds(data.sentences)
        of_examples = held[data.sites[:, 0, 0]]
        assert set(np.flatnonzero(of_examples)) == set(rows.eraser.tolist())
    assert 0 < len(rows.eraser) < len(data.rows("train"))


def test_a_probe_is_fitted_and_tested_on_other_sentences(tmp_path):
    (rows,) = divide_for_erasure([TASKS.make(TASK).load()])
    page = lingprobe.evaluate(
        [INNER, without(TASK), without(TASK, ",eraser=none")], TASK,
        probes=["logreg,c=1"], seeds=1, baselines="none",
    )  # fmt: skip
    whole, *others = sorted(page.results, key=lambda one: len(one.trial.encoder))
    for one in others:
        counts = one.provenance.counts
        assert counts.held == len(rows.eraser)
        assert counts.train == whole.provenance.counts.train - len(rows.eraser)
        assert one.n == whole.n
        assert counts.unusable == 0
    assert "sentences that an eraser was fitted on" in str(page)


def test_the_identity_is_of_task_method_and_encoder(tmp_path):
    references = [
        INNER,
        without(TASK),
        without("table:b.jsonl"),
        without(f"{TASK},seed=1"),
        without(TASK, ",eraser=mean"),
        without(TASK, ",rank=1"),
        *(without(TASK, f",floor={kind}") for kind in ERASER_BASELINES),
        without(TASK, ",floor=rank,draw=1"),
        without(TASK, inner="bow:random,dim=16,seed=1"),
    ]
    known = {
        str(identify_encoder(ENCODERS.canonical(one), ENCODERS.make(one))) for one in references
    }
    assert len(known) == len(references)
    assert ENCODERS.canonical(without(TASK, ",eraser=leace")) == ENCODERS.canonical(without(TASK))


def test_it_stands_for_the_contents_of_a_file_and_not_for_its_place(tmp_path):
    known = []
    for name, many in (("a", 300), ("b", 300), ("c", 290)):
        path = tmp_path / name / "data.jsonl"
        path.parent.mkdir()
        write(path, lambda a, b: "yes" if a else "no", many)
        reference = without(f"table:{path}")
        known.append(identify_encoder(ENCODERS.canonical(reference), ENCODERS.make(reference)))
    assert known[0].facts == known[1].facts
    assert str(known[0]) == str(known[1])
    assert known[0].facts != known[2].facts


def test_several_tasks_go_one_after_the_other():
    both = ENCODERS.make(without(f"{TASK}+table:b.jsonl"))
    (chain,) = both.erasure.erasers(both.origin, both.slots)
    tasks = [TASKS.make(name).load() for name in (TASK, "table:b.jsonl")]
    assert len(chain) == 2
    for data, rows in zip(tasks, divide_for_erasure(tasks), strict=True):
        held = both.withholds(data.sentences)[data.sites[:, 0, 0]]
        assert set(rows.eraser.tolist()) <= set(np.flatnonzero(held))
        some = data.take(rows.eraser)
        erased = both.encode(data.sentences).layers[0][some.sites[:, 0, 0]].astype(float)
        codes = some.labels.classes - some.labels.classes.mean()
        # no linear trace on the examples that it was fitted on, whichever task came last
        covariance = codes @ (erased - erased.mean(0)) / len(some)
        assert abs(covariance).max() < 1e-6


def test_layers_are_erased_each_by_itself(tmp_path):
    model = f"hf:{transformer(tmp_path / 'model')},dtype=float32"
    sentences = TASKS.make(TASK).load().sentences[:20]
    every = ENCODERS.make(without(TASK, inner=f"{model},layers=all"))
    whole = every.encode(sentences)
    assert whole.names == ("0", "1", "2")
    assert every.base != ENCODERS.make(f"{model},layers=all").base
    one = ENCODERS.make(without(TASK, inner=f"{model},layers=1")).encode(sentences)
    np.testing.assert_array_equal(one.layers[0], whole.layers[1])
    np.testing.assert_array_equal(
        every.asking(("1.mean",)).encode(sentences).layers[0], one.layers[0]
    )
    words = ENCODERS.make(without(TASK, inner=f"{model},layers=1,pool=none")).encode(sentences)
    assert words.spans is not None


def test_floors_are_of_the_erasers_rank_and_leave_something_else():
    sentences = TASKS.make(TASK).load().sentences[:50]
    made = {kind: vectors(without(TASK, f",floor={kind}"), sentences) for kind in ERASER_BASELINES}
    made["eraser"] = vectors(without(TASK), sentences)
    plain = vectors(INNER, sentences)
    for one in made.values():
        assert np.linalg.matrix_rank(one - plain - (one - plain).mean(0), tol=1e-3) == 1
    assert len({one.tobytes() for one in made.values()}) == 4
    assert ENCODERS.make(without(TASK, ",floor=rank")).kind == "baseline"


def test_hidden_sentences_are_told_by_letters():
    encoder = ENCODERS.make(without(TASK))
    data = TASKS.make(TASK).load()
    (rows,) = divide_for_erasure([data])
    one = data.sentences[int(data.sites[rows.eraser[0], 0, 0])]
    other = replace(one, text=one.text.upper() + " ")
    assert encoder.withholds([other])[0]
    assert are_among(hash_sentences([other]), encoder.erasure.hashes)[0]


@pytest.mark.parametrize(
    ("value", "more", "said"),
    [
        ("table:scores.jsonl", ",eraser=inlp", "without=table:scores.jsonl: inlp is for classes"),
        ("table:one.jsonl", "", "without=table:one.jsonl: all 300 examples have one label"),
        ("table:nowhere.jsonl", "", "nowhere.jsonl"),
        ("nobody.safetensors", "", "cannot be read as an eraser"),
        (TASK, ",floor=all", "choose one of"),
    ],
)
def test_what_cannot_be_erased_is_said_in_a_sentence(value, more, said):
    write("scores.jsonl", lambda a, b: a + b + 0.5)
    write("one.jsonl", lambda a, b: "yes")
    with pytest.raises((DataProblem, ReferenceProblem), match=said):
        vectors(without(value, more), TASKS.make(TASK).load().sentences[:3])


def test_an_eraser_of_other_vectors_is_refused(tmp_path):
    lingprobe.erase(TASK, INNER, erasers=tmp_path, draws=1, nonlinear="", probe="logreg,c=1")
    (file,) = tmp_path.glob("*.safetensors")
    sentences = TASKS.make(TASK).load().sentences[:3]
    with pytest.raises(DataProblem, match="was fitted on vectors of bow:random"):
        vectors(without(str(file), inner="bow:random,dim=16,seed=1"), sentences)


def test_encoders_of_no_vectors_have_nothing_to_erase():
    for inner in ("gold", "overlap"):
        with pytest.raises(ReferenceProblem, match="nothing can be erased"):
            ENCODERS.make(without(TASK, inner=inner))


def test_models_and_functions_have_it_as_well(tmp_path):
    from transformers import AutoModel, AutoTokenizer

    data = TASKS.make(TASK).load()
    place = str(transformer(tmp_path / "model"))
    live = AutoModel.from_pretrained(place), AutoTokenizer.from_pretrained(place)
    made = lingprobe.without(live, TASK, eraser="mean")
    named = ENCODERS.make(without(TASK, ",eraser=mean", inner=f"hf:{place}"))
    some = data.sentences[:30]
    np.testing.assert_allclose(made.encode(some).layers[0], named.encode(some).layers[0], atol=1e-3)
    assert np.array_equal(made.withholds(data.sentences), named.withholds(data.sentences))
    assert lingprobe.without(INNER, TASK).encode(some).layers[0].tobytes() == (
        vectors(without(TASK), some).tobytes()
    )


def test_objects_that_say_the_same_of_themselves_have_erasers_of_their_own():
    def of(number):
        def lengths(texts):
            return np.array([[number + len(w) for w in t.split()[:3]] for t in texts], float)

        return lingprobe.without(lengths, [TASK, OTHER])

    one, other = of(0), of(100)
    assert one.name == other.name
    for each, least, most in ((one, 0, 50), (other, 100, 150)):
        (chain,) = each.erasure.erasers(each.origin, each.slots)
        assert len(chain) == 2
        assert ((least < chain[0].mean) & (chain[0].mean < most)).all()
    data = TASKS.make(TASK).load()
    page = lingprobe.evaluate([one], TASK, probes=["logreg,c=1"], seeds=1, baselines="none")
    (result,) = page.results
    held = one.withholds(data.sentences)[data.sites[:, 0, 0]]
    assert result.provenance.counts.held == held.sum() > 0


def test_tables_say_the_short_name_of_what_is_erased(tmp_path):
    path = tmp_path / "data.jsonl"
    long = without(f"table:{path}+ud/tense:en_ewt")
    assert name_encoders([long])[long] == f"{INNER},without=table:data.jsonl+ud/tense:en_ewt"
    assert (
        label_encoders([long, INNER])[long] == f"{INNER},without=table:data.jsonl+ud/tense:en_ewt"
    )
    model = f"hf:{tmp_path}/model,without=table%3A{path}"
    assert name_encoders([model])[model].endswith("model,without=table:data.jsonl")
