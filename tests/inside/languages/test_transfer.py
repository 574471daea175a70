"""A probe that is trained in one language and tested in another, on two small treebanks."""

from __future__ import annotations

import math
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from typer.testing import CliRunner

import lingprobe
from fixtures.frames import sentences
from lingprobe import DataProblem
from lingprobe.cli import app
from lingprobe.data.identity import compute_identity
from lingprobe.data.reading import Readings
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.vectors import Vectors
from lingprobe.encoders.char_ngrams import CharNgrams
from lingprobe.experiment import equal_fits, settings
from lingprobe.inside.languages.views import TRANSFER_VIEW
from lingprobe.probes.logreg import LogReg
from lingprobe.tasks import TASKS
from tasks.treebanks import block

ROWS = """
{noun}  NOUN  Number={number}                 2 nsubj
{verb}  VERB  Mood=Ind|Tense={tense}|VerbForm=Fin   0 root
{other} NOUN  Number=Sing                     2 obj
.       PUNCT _                               2 punct
"""


def treebank(folder: Path, code: str, many: int) -> str:
    """A treebank of clauses whose words begin with the letters of its language; past and singular
    are words of one more letter.
    """
    rng = np.random.default_rng(len(code))
    place = folder / f"UD_{code}"
    place.mkdir()
    text = ""
    for i in range(many):
        past, plural = i % 2, i // 2 % 2
        words = {
            "noun": f"{code}n{rng.integers(60)}",
            "verb": f"{code}v{rng.integers(90)}{'d' * past}",
            "other": f"{code}o{rng.integers(400)}",
        }
        feats = {"tense": ("Pres", "Past")[past], "number": ("Sing", "Plur")[plural]}
        text += block(ROWS.format(**words, **feats), f"# text = {' '.join(words.values())} .")
    (place / f"{code}_x-ud-train.conllu").write_text(text, "utf-8")
    return str(place)


@pytest.fixture(scope="module")
def banks(tmp_path_factory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("banks")
    return treebank(folder, "aa", 900), treebank(folder, "bb", 700)


def reference(source: str, target: str, more: str = "") -> str:
    return f"transfer:{source},task=ud/tense,test={target}{more}"


class Tenses:
    """Vectors whose first number tells the tense, around another point in each language."""

    name = "tenses"

    def encode(self, texts):
        return np.array([self._vector(text) for text in texts], np.float32)

    def _vector(self, text: str) -> np.ndarray:
        row = np.random.default_rng(crc32(text.encode())).normal(size=6)
        row[0] += 1.5 * any(word.endswith("d") for word in text.split())
        row[0] += 2 * text.startswith("bb")
        return row


def test_train_and_dev_are_of_the_source_and_test_of_the_target(banks):
    a, b = banks
    across, upper = (TASKS.make(reference(s, b, f",match={a}")).load() for s in (a, b))
    for data, code in ((across, "aa"), (upper, "bb")):
        for split, of in (("train", code), ("dev", code), ("test", "bb")):
            rows = data.take(data.rows(split))
            texts = {data.sentences[k].text[:2] for k in rows.sites[:, 0, 0].tolist()}
            assert texts == {of}
    sizes = [[len(d.rows(s)) for s in ("train", "dev", "test")] for d in (across, upper)]
    assert sizes[0] == sizes[1]
    tests = [
        [d.sentences[k].text for k in d.take(d.rows("test")).sites[:, 0, 0]]
        for d in (across, upper)
    ]
    assert tests[0] == tests[1]
    assert dict(across.notes["matched"])["languages"] == ["aa", "bb"]


def test_the_other_way_around_is_another_task(banks):
    a, b = banks
    known = set()
    for s, t in ((a, b), (b, a), (a, a), (b, b)):
        text = TASKS.canonical(reference(s, t, f",match={a},match={b}"))
        known.add(str(compute_identity(TASKS, text, TASKS.make(text))))
    assert len(known) == 4


def test_it_is_what_a_loop_of_scikit_learn_finds(banks, tmp_path):
    """The same vectors as they are, C fixed: the same answers and the same areas. By default the
    probe scales all features by one factor, so that C does not mean what it means here.
    """
    refs = {
        pair: reference(*pair, f",match={banks[0]},fold=1/5")
        for pair in zip(banks, banks[::-1], strict=True)
    }
    done = lingprobe.run(
        list(refs.values()), {"tenses": Tenses()}, probes=["logreg,c=0.01,scaled=false"],
        seeds=1, baselines="none", keep_scores=True, output=tmp_path,
    )  # fmt: skip
    cells = {(c.source, c.target): c for c in done.report(view="transfer").content}
    for (s, t), text in refs.items():
        data = TASKS.make(text).load()
        vectors = encoded(data)
        labels = np.array(data.labels.class_names())
        train, test = data.rows("train"), data.rows("test")
        model = LogisticRegression(C=0.01, tol=1e-10).fit(vectors[train], labels[train])
        cell = cells[Path(s).name.removeprefix("UD_"), Path(t).name.removeprefix("UD_")]
        assert cell.score == pytest.approx(100 * model.score(vectors[test], labels[test]))
        z = model.decision_function(vectors[test])
        area = roc_auc_score(labels[test] == model.classes_[1], z)
        assert cell.auc == pytest.approx(100 * area, abs=0.02)  # kept in half precision


def encoded(data) -> np.ndarray:
    """The vector of each example."""
    texts = [data.sentences[k].text for k in data.sites[:, 0, 0].tolist()]
    return Tenses().encode(texts)


def test_the_mean_of_each_language_is_taken_off(banks):
    a, b = banks
    task = TASKS.make(reference(a, b, ",centred=true"))
    data = task.load()
    assert task.view == "mean+centred"
    units = np.random.default_rng(0).normal(size=(len(data.sentences), 3)).astype(np.float32)
    units += np.array([[5.0 * s.text.startswith("bb")] for s in data.sentences])
    readings = Readings(data, Vectors((units,)), task.view)
    is_b = np.array([s.text.startswith("bb") for s in data.sentences])
    plain = TASKS.make(reference(b, b, f",match={a}")).load()
    training = {plain.sentences[k] for k in plain.take(plain.rows("train")).sites[:, 0, 0].tolist()}
    means = {
        False: units[data.take(data.rows("train")).sites[:, 0, 0]].mean(0),
        True: units[[s in training for s in data.sentences]].mean(0),
    }
    for split in ("train", "test"):
        part = readings.split(split)
        numbers = part.dataset.sites[:, 0, 0]
        expected = units[numbers] - np.stack([means[bool(is_b[k])] for k in numbers])
        np.testing.assert_allclose(part.features("-"), expected, atol=1e-5)
    few = TASKS.make(reference(a, b, ",centred=true,limit=60")).load()
    with pytest.raises(DataProblem, match="lost some of its sentences"):
        Readings(few, Vectors((units,)), task.view).features("-")


def test_what_cannot_be_transferred_is_said(banks):
    a, b = banks
    with pytest.raises(ReferenceProblem, match="leave the data out"):
        TASKS.make(f"transfer:{a},task=ud/tense%3A{a},test={b}")
    with pytest.raises(DataProblem, match="one whole sentence"):
        TASKS.make(f"transfer:{a},task=edge/pos%2Csplits%3Dsampled,test={b},centred=true").load()
    with pytest.raises(DataProblem, match="one value there"):
        TASKS.make(f"transfer:{a},task=ud/feat%2Cfeature%3DNumber%2Cof%3Dobj,test={b}").load()


def test_a_matrix_with_floors_and_upper_bounds(banks, tmp_path):
    a, b = banks
    given = {"train": [a], "test": [b], "size": 60, "seeds": 1, "output": tmp_path / "out"}
    page = lingprobe.transfer("ud/tense", {"tenses": Tenses()}, **given)
    cells = {(c.encoder, c.source, c.target): c for c in page.content}
    away, upper = cells["tenses", "aa", "bb"], cells["tenses", "bb", "bb"]
    assert {c.train for c in page.content} == {60}
    assert {"length", "char-ngrams"} <= {c.encoder.partition(",")[0] for c in page.content}
    assert away.upper == upper.score
    assert away.loss == pytest.approx(upper.score - away.score)
    text = page.text()
    assert "tenses: a probe from another language is above every baseline in" in text
    assert "Predicting from the language alone scores 50.0" in page.with_all_notes().text()
    page.write(tmp_path / "matrix.csv")
    assert (tmp_path / "matrix.csv").read_text().startswith("task,encoder,layer")
    page.write(tmp_path / "matrix.svg")
    assert "aa" in (tmp_path / "matrix.svg").read_text()
    # floors were measured, so that the command has but to show them
    asked = ["transfer", "-t", "ud/tense", "--train", a, "--test", b, "-e", "length", "-q"]
    asked += ["--size", "60", "--seeds", "1", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert "from language to language" in done.output
    assert "char-ngrams" in done.output


def test_a_source_is_fitted_once_for_all_targets_and_scores_stay(banks, tmp_path, monkeypatch):
    fit, fitted = LogReg.fit, []

    def count(self, train, dev, *, cells):
        fitted.append(len(train))
        return fit(self, train, dev, cells=cells)

    monkeypatch.setattr(LogReg, "fit", count)
    scores = []
    for repeat in (equal_fits._is_repeatable, lambda probe, job: False):
        monkeypatch.setattr(equal_fits, "_is_repeatable", repeat)
        monkeypatch.setattr(
            settings, "EQUAL_FIT_CACHE", equal_fits.FitCache()
        )  # which remembers nothing yet
        fitted.clear()
        page = lingprobe.transfer(
            "ud/tense",
            {"tenses": Tenses()},
            train=banks,
            test=banks,
            baselines="none",
            progress=False,
            seeds=1,
            output=tmp_path / str(len(scores)),
            cache=tmp_path / f"cache-{len(scores)}",
        )
        scores.append((list(page.content), len(fitted)))
    (once, few), (anew, many) = scores
    assert once == anew
    assert few < many


def test_a_question_about_words_is_transferred_to_a_score(banks, tmp_path):
    """The letters of a word tell its number and tense in both languages; the words do not."""
    a, b = banks
    task = "edge/feat,feature=Tense,splits=sampled,size=600"
    given = {"train": [a], "test": [b], "size": 200, "seeds": 1, "baselines": "none"}
    page = lingprobe.transfer(
        task, ["char-ngrams,pool=none,longest=1", "bow:random,pool=none"], **given, output=tmp_path
    )
    scores = {(c.encoder.partition(",")[0], c.source, c.target): c.score for c in page.content}
    assert scores["char-ngrams", "aa", "bb"] > 90
    assert scores["char-ngrams", "bb", "bb"] > 90
    assert scores["bow:random", "aa", "bb"] < 75
    assert {c.n for c in page.content} == {page.content[0].n}
    with pytest.raises(DataProblem, match="leave it out"):
        TASKS.make(
            f"transfer:{a},task=edge/feat%2Cfeature=Tense%2Csplits=sampled,test={b},centred=true"
        ).load()


def test_letters_know_runs_of_characters():
    texts = ["abc", "ABC", "cba", "abcd"]
    rows = CharNgrams().encode([lingprobe.Sentence.of([text]) for text in texts]).layers[0]
    same = rows @ rows.T
    np.testing.assert_allclose(np.diag(same), 1, atol=1e-5)
    assert same[0, 1] == pytest.approx(1)
    assert same[0, 3] > same[0, 2] + 0.2


def test_what_was_not_measured_is_not_called_equal():
    """Without probes of the target no cell is below the upper bound, nor not below it."""
    words = {"encoder": "st:x", "train_on": "a", "language": "b", "over_verdict": "better"}
    words |= {"is_repeated_copy": False}
    known = {**words, "role": "trained", "probe": "p", "loss_p": 0.01, "mantel_rho": math.nan}
    unknown = {**known, "language": "c", "loss_p": math.nan}

    def verdict(*rows):
        return sentences(TRANSFER_VIEW, list(rows), 1.0)[0]

    assert verdict(unknown).endswith(". The upper bound was not measured.")
    assert verdict(known, unknown).endswith("the upper bound in 1 of 1 cell.")
