"""A probe that is trained on data of one's own and tested on others: does it hold elsewhere?"""

from __future__ import annotations

import csv
from zlib import crc32

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from typer.testing import CliRunner

import lingprobe
from fixtures.models import transformer
from lingprobe.cli import app
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import ReferenceProblem
from lingprobe.inside.languages.own_data import OwnTransfer
from lingprobe.inside.languages.transfer import name_places
from lingprobe.tasks import TASKS


class Signs:
    """Vectors that say, with noise, which style or which content a text has."""

    def __init__(self, sign: str, strength: float = 2.0) -> None:
        self.name, self._sign, self._strength = sign, sign, strength

    def encode(self, texts):
        return np.array([self._vector(text) for text in texts], np.float32)

    def _vector(self, text):
        row = np.random.default_rng(crc32(text.encode())).normal(size=6)
        row[0] += self._strength * (self._sign in text.split())
        return row


def make_rows(n, name, agrees, rare=0.5, splits=(1.0, 0.0, 0.0)):
    """Texts whose content is the label; the style agrees with it as often as is said."""
    rng = np.random.default_rng(crc32(name.encode()))
    rows = []
    for i in range(n):
        label = int(rng.random() < rare)
        polite = label if rng.random() < agrees else 1 - label
        words = [f"{name}w{i}", ("plain", "harmful")[label], ("hey", "please")[polite]]
        row = {"text": " ".join(words), "label": ("no", "yes")[label]}
        if splits[0] < 1:
            row["split"] = str(rng.choice(["train", "dev", "test"], p=splits))
        rows.append(row)
    return rows


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


HOW = {"baselines": "none", "progress": False, "seeds": 1}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Style goes with the label in a, and not in b; b has its own splits and a rare class."""
    root = tmp_path_factory.mktemp("own")
    own = (0.5, 0.3, 0.2)
    a = write(root / "a.csv", make_rows(1500, "a", 0.95, splits=own))
    b = write(root / "b.csv", make_rows(1500, "b", 0.5, 0.3, splits=own))
    return a, b


def test_the_numbers_are_those_of_scikit_learn(files, tmp_path):
    a, b = files
    page = lingprobe.transfer(
        encoders={"style": Signs("please")}, train=a, test=[a, b], output=tmp_path / "out",
        probes="logreg,c=0.01,scaled=false", cache=tmp_path / "cache", **HOW,
    )  # fmt: skip
    cells = {(c.source, c.target): c for c in page.content}
    assert {*cells} == {("a.csv", "a.csv"), ("a.csv", "b.csv"), ("b.csv", "b.csv")}
    data = {path[-5:]: TASKS.make(f"table:{path}").load() for path in files}
    vectors, labels = {}, {}
    for name, each in data.items():
        texts = [each.sentences[k].text for k in each.sites[:, 0, 0].tolist()]
        vectors[name] = Signs("please").encode(texts)
        labels[name] = np.array(each.labels.class_names()) == "yes"
    train, dev = (data["a.csv"].rows(split) for split in ("train", "dev"))
    model = LogisticRegression(C=0.01, tol=1e-10)
    model.fit(vectors["a.csv"][train], labels["a.csv"][train])
    negatives = np.sort(model.decision_function(vectors["a.csv"][dev])[~labels["a.csv"][dev]])
    cut = negatives[-int(0.01 * (len(negatives) + 1))]
    for name in ("a.csv", "b.csv"):
        test, cell = data[name].rows("test"), cells["a.csv", name]
        z, gold = model.decision_function(vectors[name][test]), labels[name][test]
        assert cell.score == pytest.approx(100 * ((z > 0) == gold).mean())
        assert cell.auc == pytest.approx(100 * roc_auc_score(gold, z), abs=0.05)  # half precision
        assert cell.recall == pytest.approx(100 * (z[gold] > cut).mean(), abs=1)
        assert cell.false_positives == pytest.approx(100 * (z[~gold] > cut).mean(), abs=1)
        assert cell.positive == "yes"
        assert cell.prevalence == pytest.approx(100 * gold.mean())
        assert cell.n == len(test)
        assert cell.recall_low <= cell.recall <= cell.recall_high
    away, own, upper = cells["a.csv", "b.csv"], cells["a.csv", "a.csv"], cells["b.csv", "b.csv"]
    assert away.drop == pytest.approx(away.score - own.score)
    half = [np.hypot(away.score - away.low, own.high - own.score)]
    assert away.drop_low == pytest.approx(away.drop - half[0])
    assert away.loss == pytest.approx(upper.score - away.score)
    assert np.isnan(own.drop)


def test_the_diagonal_is_what_a_run_measures(tmp_path):
    """Folds included: 400 rows are tested in five."""
    rows = make_rows(400, "small", 0.9)
    path = write(tmp_path / "small.csv", rows)
    given = {**HOW, "output": tmp_path / "out", "cache": tmp_path / "cache"}
    page = lingprobe.transfer(encoders={"style": Signs("please")}, train=path, test=path, **given)
    (cell,) = page.content
    given["output"] = tmp_path / "run"
    scores = lingprobe.run(path, {"style": Signs("please")}, **given).scores
    assert cell.score == pytest.approx(scores["score"][0])
    assert cell.n == scores["n"][0] == 400


def test_who_reads_style_falls_to_chance_and_who_reads_content_does_not(tmp_path):
    """Counted over seeds: of ten detectors of style nearly all are at chance where style says
    nothing, and of ten detectors of content none is.
    """
    fates = {"please": [], "harmful": []}
    own = (0.5, 0.2, 0.3)
    for seed in range(10):
        a = {f"a{seed}": make_rows(600, f"a{seed}", 1.0, splits=own)}
        b = {f"b{seed}": make_rows(600, f"b{seed}", 0.5, splits=own)}
        page = lingprobe.transfer(
            encoders={sign: Signs(sign) for sign in fates}, train=a, test=b,
            output=tmp_path / f"{seed}", cache=tmp_path / "cache", **HOW,
        )  # fmt: skip
        for cell in page.content:
            if cell.source != cell.target:
                fates[cell.encoder].append((cell.auc_low, cell.auc_high, cell.score))
                said = f"{cell.encoder}: the probe trained on a{seed} answers b{seed} at chance"
                assert (said in page.text()) == (cell.auc_low <= 50 <= cell.auc_high <= 60)
    at_chance = {name: sum(low <= 50 <= high for low, high, _ in fates[name]) for name in fates}
    assert at_chance["please"] >= 8
    assert at_chance["harmful"] == 0
    assert min(score for _, _, score in fates["harmful"]) > 75
    assert max(score for _, _, score in fates["please"]) < 65


def test_data_in_memory_score_as_files_do(tmp_path):
    own = (0.5, 0.2, 0.3)
    rows = {"a": make_rows(300, "a", 1.0, splits=own), "b": make_rows(100, "b", 0.5)}
    places = {name: write(tmp_path / f"{name}.csv", each) for name, each in rows.items()}
    given = {**HOW, "output": tmp_path / "out", "cache": tmp_path / "cache"}
    style = {"style": Signs("please")}
    mixed = lingprobe.transfer(encoders=style, train={"a": rows["a"]}, test=places["b"], **given)
    filed = lingprobe.transfer(encoders=style, train=places["a"], test=places["b"], **given)
    assert [c.source for c in mixed.content] == ["a", "a", "b.csv"]
    for one, other in zip(mixed.content, filed.content, strict=True):
        assert (one.score, one.low, one.auc, one.n) == (other.score, other.low, other.auc, other.n)
    again = lingprobe.report(tmp_path / "out", view="transfer")
    assert len(again.content) == 6
    with pytest.raises(UsageProblem, match="two data sets are called 'a'"):
        lingprobe.transfer(encoders=style, train={"a": rows["a"]}, test={"a": rows["b"]}, **given)
    with pytest.raises(UsageProblem, match="write them to a file"):
        lingprobe.transfer(
            encoders=style, train={"a": rows["a"]}, test=places["b"], matched=True, **given
        )


def test_one_untrained_copy_of_a_kind_is_shown_and_all_are_compared(tmp_path):
    model = transformer(tmp_path / "bert")
    data = [
        {"text": f"dog {i} {'sleeps' if i % 2 else 'slept'}", "label": "ab"[i % 2]}
        for i in range(80)
    ]
    found = lingprobe.transfer(
        encoders=f"hf:{model},dtype=float32,device=cpu",
        train={"one": data[:40]},
        test={"two": data[40:]},
        cache=tmp_path / "cache",
        progress=False,
        seeds=1,
    )
    encoders = {cell.encoder for cell in found.content}
    copies = {name for name in encoders if "weights=random" in name}
    assert len(copies) == 10
    said = str(found)
    titles = [line for line in said.splitlines() if "weights=random" in line and "(" not in line]
    assert len(titles) == 2
    assert not any("seed=" in title for title in titles)


def test_texts_and_prompts_that_are_tested_are_not_trained_on():
    own = (0.6, 0.1, 0.3)
    ours = make_rows(200, "x", 1.0, splits=own)
    theirs = [*make_rows(100, "y", 1.0, splits=own), *({**r, "split": "test"} for r in ours[:50])]
    source, target = (lingprobe.table(rows, name=n) for rows, n in ((ours, "x"), (theirs, "y")))
    cell = OwnTransfer(source, target, ("x", "y")).load()
    read = [
        {cell.sentences[k].text for k in cell.sites[cell.rows(split), 0, 0].tolist()}
        for split in ("train", "dev", "test")
    ]
    assert not (read[0] | read[1]) & read[2]
    tested = {row["text"] for row in theirs if row["split"] == "test"}
    assert read[2] == tested
    trained = {row["text"] for row in ours if row["split"] == "train"}
    assert read[0] == trained - tested
    lost = len(trained & tested)
    assert lost
    assert f"{lost} training examples of x were excluded" in dict(cell.notes)["remarks"][0]
    known = [{**row, "split": "train"} for row in make_rows(20, "z", 1.0, splits=own)]
    every = [*known, *({**row, "split": "test"} for row in ours)]
    nothing = lingprobe.table(every, name="z")
    with pytest.raises(DataProblem, match="all training texts of x are tested in z"):
        OwnTransfer(source, nothing, ("x", "z")).load()


def test_conversations_that_share_a_prompt():
    def talks(name, first):
        return [
            {
                "prompt": f"question {first + i // 2}",
                "response": f"{name} {i} {'please' if i % 2 else 'hey'}",
                "label": "ny"[i % 2],
                "split": ("train", "dev", "test", "train")[i // 2 % 4],
            }
            for i in range(160)
        ]

    a, b = (lingprobe.table(talks(n, k), name=n) for n, k in (("a", 0), ("b", 61)))
    cell = OwnTransfer(a, b, ("a", "b")).load()
    prompts = [
        {cell.sentences[k].turns[0].content for k in cell.sites[cell.rows(split), 0, 0].tolist()}
        for split in ("train", "test")
    ]
    assert not prompts[0] & prompts[1]
    assert len(cell.rows("train")) == 80 - 10
    # where nearly all prompts are shared they are kept, and it is said
    c = lingprobe.table([{**r, "split": "test"} if r["split"] == "train" and i < 150 else r
                         for i, r in enumerate(talks("c", 0))], name="c")  # fmt: skip
    kept = OwnTransfer(a, c, ("a", "c")).load()
    assert len(kept.rows("train")) == 80
    assert "have a prompt that is tested in c" in dict(kept.notes)["remarks"][0]


def test_groups_stay_clusters():
    """Intervals are over what was sampled together, as the table says it."""
    rows = [row | {"author": f"p{i // 20}"} for i, row in enumerate(make_rows(400, "g", 1.0))]
    other = [row | {"author": f"q{i // 20}"} for i, row in enumerate(make_rows(400, "h", 1.0))]
    a, b = (lingprobe.table(r, name=n, group="author") for r, n in ((rows, "g"), (other, "h")))
    cell = OwnTransfer(a, b, ("g", "h")).load()
    assert "author" in cell.clusters
    tags = cell.strata["author"]
    tested = {tags.names[k] for k in tags.codes[cell.rows("test")].tolist()}
    assert tested < {f"q{i}" for i in range(20)}


def test_a_target_of_one_class_has_a_score_and_no_area(tmp_path):
    only = [{**row, "label": "yes"} for row in make_rows(60, "only", 1.0, 1.0)]
    page = lingprobe.transfer(
        encoders={"style": Signs("please")}, train={"a": make_rows(1500, "a", 1.0)},
        test={"only": only}, output=tmp_path / "out", cache=tmp_path / "cache", **HOW,
    )  # fmt: skip
    cells = {(c.source, c.target): c for c in page.content}
    assert ("only", "only") not in cells
    assert "nothing to predict" in " ".join(page.remarks)
    cell = cells["a", "only"]
    assert cell.prevalence == 100
    assert np.isnan(cell.auc)
    assert "scores" in page.text()


def test_what_does_not_fit_is_said(files, tmp_path):
    a, b = files
    source = lingprobe.table(make_rows(80, "a", 1.0), name="a")
    other = lingprobe.table([{"text": f"t {i}", "label": "pq"[i % 2]} for i in range(60)], name="o")
    with pytest.raises(DataProblem, match="o has the label 'p', and a has only no, yes"):
        OwnTransfer(source, other, ("a", "o")).load()
    scores = lingprobe.table([{"text": f"t {i}", "score": i / 7} for i in range(60)], name="s")
    with pytest.raises(DataProblem, match="s: its labels are no classes"):
        OwnTransfer(source, scores, ("a", "s")).load()
    with pytest.raises(ReferenceProblem, match="leave match= and by= out"):
        TASKS.make(f"transfer:{a},task=table,test={b},matched=false,by=x")
    with pytest.raises(UsageProblem, match="matches data"):
        lingprobe.transfer(encoders="length", train=a, test=b, by="x", output=tmp_path)
    with pytest.raises(UsageProblem, match="at least one treebank or table"):
        lingprobe.transfer(encoders="length", train=a, test=[], output=tmp_path)
    with pytest.raises(UsageProblem, match="is asked of treebanks"):
        lingprobe.transfer("ud/tense", "length", train={"a": make_rows(9, "a", 1.0)}, test=b)


def test_names_tell_data_sets_apart():
    places = ["x/one/data.csv", "x/two/data.csv", "UD_A", "b.csv"]
    assert name_places(places) == {
        "x/one/data.csv": "one/data.csv",
        "x/two/data.csv": "two/data.csv",
        "UD_A": "A",
        "b.csv": "b.csv",
    }
    assert name_places(["data.csv", "x/data.csv"]) == {
        "data.csv": "data.csv",
        "x/data.csv": "x/data.csv",
    }


def test_the_command_shows_the_matrix_and_baselines(files, tmp_path):
    a, b = files
    asked = [
        "transfer",
        "--train",
        a,
        "--test",
        b,
        "-e",
        "bow:random,dim=64",
        "-q",
        "--size",
        "300",
    ]
    asked += ["--seeds", "1", "-o", str(tmp_path / "out"), "--page", str(tmp_path / "m.svg")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    text = (tmp_path / "m.svg").read_text()
    assert "a.csv" in text
    shown = CliRunner().invoke(app, ["report", str(tmp_path / "out"), "--view", "transfer"])
    assert "Trained on one data set, tested on others: accuracy" in shown.output
    assert "answers b.csv at chance" in shown.output or "is not significantly" in shown.output
    assert "char-ngrams" in shown.output
    assert "recall at 1 % false positives" in shown.output
