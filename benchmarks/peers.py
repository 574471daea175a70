"""One task from file to score with other libraries and with lingprobe, encoding counted, and a
treebank read by several readers.

usage: python benchmarks/peers.py [FOLDER] [--limit N]      (FOLDER holds treebanks/UD_English-EWT;
LINGPROBE_DATA without it)

The task is `ud/tense` of EWT, written as a table, so that all read the same sentences, labels and
splits; vectors are those of MiniLM (all-MiniLM-L6-v2) in float32. Each leg runs in a process of its
own with one thread; printed are its processor seconds, imports included, and its accuracy on test.

    cv         SentenceTransformer.encode(batch_size=32), and scikit-learn's LogisticRegressionCV
               over the six penalties of `logreg`, tuned on dev
    grid       the same vectors, and GridSearchCV over nine MLPClassifier (hidden units and
               penalties; it has no dropout), tuned on dev, which stop early
    mteb       mteb.evaluate with an AbsTaskClassification: one experiment on all training
               sentences and scikit-learn's LogisticRegression, nothing tuned
    logreg     lingprobe.run with `logreg`: six penalties tuned on dev, an interval
    mlp        lingprobe.run with `mlp`, the default: its whole grid tuned on dev, an interval
    default    the same in the precision that is fastest here
    conllu     the conllu package reads EWT
    udpipe     UDPipe's reader does
    columns    lingprobe's reader does, with all its checks
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from treebank import unpacked
from whole import leg, model

C = (0.0001, 0.001, 0.01, 0.1, 1.0, 10.0)
SPLITS = ("train", "dev", "test")
PENALTIES, HIDDEN = (1e-5, 1e-4, 1e-3), ((50,), (100,), (200,))


def write(table: Path, bank: Path, limit: int | None) -> int:
    """Write the task as a table; how many rows it has."""
    from lingprobe.tasks import TASKS

    data = TASKS.make(f"ud/tense:{bank}" + (f",size={limit}" if limit else "")).load()
    with table.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(("text", "label", "split"))
        for split in SPLITS:
            for row in data.rows(split):
                words = data.sentences[data.sites[row, 0, 0]].words
                out.writerow((" ".join(words), data.labels.label(int(row)), split))
    return len(data)


def read(table: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Sentences and labels of each split."""
    rows = list(csv.DictReader(table.open(encoding="utf-8", newline="")))
    return {
        split: (
            [row["text"] for row in rows if row["split"] == split],
            [row["label"] for row in rows if row["split"] == split],
        )
        for split in SPLITS
    }


def fit(table: Path, estimator: Callable[[Any], Any]) -> float:
    """Encode with sentence-transformers and fit; `estimator` takes the split into train and dev."""
    import numpy as np
    from sentence_transformers import SentenceTransformer
    from sklearn.model_selection import PredefinedSplit

    encoder, data = SentenceTransformer(model(), device="cpu"), read(table)
    vectors = {k: encoder.encode(data[k][0], batch_size=32) for k in SPLITS}
    sides = np.repeat([-1, 0], [len(vectors["train"]), len(vectors["dev"])])
    fitted = estimator(PredefinedSplit(sides)).fit(
        np.concatenate([vectors["train"], vectors["dev"]]), data["train"][1] + data["dev"][1]
    )
    return float(fitted.score(vectors["test"], data["test"][1]))


def cv(table: Path) -> float:
    """The leg `cv`."""
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return fit(
        table,
        lambda sides: make_pipeline(
            StandardScaler(), LogisticRegressionCV(Cs=C, cv=sides, max_iter=1000)
        ),
    )


def grid(table: Path) -> float:
    """The leg `grid`."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.neural_network import MLPClassifier

    network = MLPClassifier(activation="logistic", batch_size=64, early_stopping=True)
    wanted = {"hidden_layer_sizes": HIDDEN, "alpha": PENALTIES}
    return fit(table, lambda sides: GridSearchCV(network, wanted, cv=sides))


def mteb(table: Path) -> float:
    """The leg `mteb`."""
    import mteb as package
    from mteb.abstasks import AbsTaskClassification
    from sentence_transformers import SentenceTransformer

    import datasets

    data = read(table)
    names = sorted(set(data["train"][1]))

    class Tense(AbsTaskClassification):
        metadata = package.TaskMetadata(
            name="Tense",
            description="ud/tense",
            dataset={"path": "local", "revision": "1"},
            type="Classification",
            eval_splits=["test"],
            eval_langs=["eng-Latn"],
            main_score="accuracy",
        )
        samples_per_label = len(data["train"][0])
        n_experiments = 1

        def load_data(self, *_: Any, **__: Any) -> None:
            self.dataset = datasets.DatasetDict(
                {
                    k: datasets.Dataset.from_dict(
                        {"text": data[k][0], "label": [names.index(x) for x in data[k][1]]}
                    )
                    for k in SPLITS
                }
            )
            self.data_loaded = True

    done = package.evaluate(
        SentenceTransformer(model(), device="cpu"),
        Tense(),
        cache=None,
        encode_kwargs={"batch_size": 32},
    )
    return float(done[0].scores["test"][0]["accuracy"])


def ours(table: Path, probe: str, dtype: str = "float32") -> float:
    """The legs `logreg`, `mlp` and `default`."""
    import lingprobe

    with tempfile.TemporaryDirectory() as folder:
        (result,) = lingprobe.run(
            f"table:{table},labels=classes",
            f"st:{model()},dtype={dtype}",
            probes=[probe],
            seeds=1,
            baselines="none",
            output=f"{folder}/results",
            cache=f"{folder}/cache",
        ).results
    return float(result.score)


def conllu(bank: Path) -> float:
    """The leg `conllu`: words."""
    import conllu as package

    words = 0
    for path in sorted(bank.iterdir()):
        with path.open(encoding="utf-8") as file:
            words += sum(isinstance(w["id"], int) for s in package.parse_incr(file) for w in s)
    return words


def udpipe(bank: Path) -> float:
    """The leg `udpipe`: words."""
    from ufal.udpipe import InputFormat, ProcessingError, Sentence

    words = 0
    for path in sorted(bank.iterdir()):
        reader, sentence, error = InputFormat.newConlluInputFormat(), Sentence(), ProcessingError()
        reader.setText(path.read_text("utf-8"))
        while reader.nextSentence(sentence, error):
            words += len(sentence.words) - 1
    return words


def columns(bank: Path) -> float:
    """The leg `columns`: words."""
    from lingprobe.corpora.batches import read_treebank_batches

    return sum(
        len(batch.parents)
        for path in sorted(bank.iterdir())
        for batch in read_treebank_batches(path)
    )


LEGS: dict[str, Callable[[Path], float]] = {
    "cv": cv,
    "grid": grid,
    "mteb": mteb,
    "logreg": lambda table: ours(table, "logreg"),
    "mlp": lambda table: ours(table, "mlp"),
    "default": lambda table: ours(table, "mlp", "auto"),
    "conllu": conllu,
    "udpipe": udpipe,
    "columns": columns,
}


def main() -> None:
    """Run the legs, each in a process of its own, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA", ""))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--leg", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.leg:
        print(json.dumps({"figure": LEGS[given.leg[0]](Path(given.leg[1]))}))
        return
    with tempfile.TemporaryDirectory() as place:
        bank, table = Path(place) / "UD_English-EWT", Path(place) / "tense.csv"
        bank.mkdir()
        unpacked(Path(given.folder) / "treebanks" / "UD_English-EWT", bank)
        rows = write(table, bank, given.limit)
        print(f"{rows:,} sentences")
        for name in LEGS:
            reads = bank if name in ("conllu", "udpipe", "columns") else table
            said, seconds = leg(__file__, "--leg", name, str(reads))
            figure = said["figure"]
            what = f"{figure:,.0f} words" if figure > 1 else f"{100 * figure:.1f} % right"
            print(f"{name:8} {seconds:7.1f} s   {what}")


if __name__ == "__main__":
    sys.exit(main())
