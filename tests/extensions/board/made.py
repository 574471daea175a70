"""Made results of models, baselines and oracles, with all that a submission needs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

import lingprobe
from fixtures.results import result, saying
from lingprobe.data.core import Tags
from lingprobe.data.labels import Classes
from lingprobe.datasets.controls import KEY_SEEN
from lingprobe_extensions.board.contents import BoardContents
from lingprobe_extensions.board.merge import merge_submissions
from lingprobe_extensions.board.standings import compute_standings
from lingprobe_extensions.board.submission import SubmitterStatement, describe_results

TASKS = ("ud/tense:UD_English-EWT", "ud/passive:UD_Polish-PDB")
FILES = dict(
    zip(TASKS, ("/home/me/en_ewt-ud-train.conllu", "/x/pl_pdb-ud-train.conllu"), strict=True)
)
CONTROL = "word-labels,case=cased,key=word,least=10,seed={}"
N = 200  # examples
BOUNDS = {"length": ("baseline", 0.55), "bow:random": ("baseline", 0.6), "gold": ("oracle", 0.99)}


def fit(encoder, share, kind="trained", *, task=TASKS[0], read="-", seed=0, n=200, state="files=1"):
    """A fit in which a share of n test examples is right; which ones depends on the encoder."""
    made = result(share, n, task=task, encoder=encoder, read=read, seed=seed, probe="logreg")
    rng = np.random.default_rng([len(encoder), sum(map(ord, encoder + task + read)), seed])
    wrong = rng.permutation(n) >= round(share * n)
    said = np.where(wrong, 1 - made.gold.ids, made.gold.ids)
    of = {"task": task, "encoder": encoder, "probe": "logreg", "control": "none"}
    identities = {what: json.dumps([name, "code", "fact"]) for what, name in of.items()}
    identities["encoder"] = json.dumps([encoder, "code", state])
    identities["metric"] = json.dumps(["accuracy", "code"])
    made = saying(
        made,
        kind=kind,
        identities=identities,
        revision=state if kind == "trained" else "",
        versions={"lingprobe": "0.0.1", "numpy": "2"},
        date="2026-01-01T00:00:00",
        tested=f"{task} {n}",
        constants={"class": ["past"]},
        choice={"dev": share},
        is_seeded=False,
        notes={"source": {"files": [FILES[task]]}} if task in FILES else {},
    )
    return replace(made, predicted=Classes(said, made.gold.names), score=float((~wrong).mean()))


def bounds(tasks=TASKS, n=200):
    """Baselines and an oracle."""
    return [
        fit(name, share, kind, task=task, n=n)
        for task in tasks
        for name, (kind, share) in BOUNDS.items()
    ]


def results(shares, tasks=TASKS, n=200):
    """Fits of encoders with some share right, and of what they are compared with."""
    models = [fit(name, share, task=task, n=n) for task in tasks for name, share in shares.items()]
    return [*models, *bounds(tasks, n)]


def control(plain, share, seed=0):
    """A control of a fit, with labels of its own; train has the keys of three examples in four."""
    gold = np.random.default_rng(seed).integers(0, 2, N)
    wrong = np.random.default_rng([seed, len(plain.trial.encoder)]).permutation(N)
    wrong = wrong >= round(share * N)
    names = plain.gold.names
    moved = replace(
        plain,
        trial=replace(plain.trial, control=CONTROL.format(seed)),
        gold=Classes(gold, names),
        predicted=Classes(np.where(wrong, 1 - gold, gold), names),
        strata={KEY_SEEN: Tags(np.arange(N) % 4 // 3, ("yes", "no"))},
        score=float((~wrong).mean()),
        majority=float((gold == 0).mean()),
    )
    identities = {
        **plain.provenance.identities,
        "control": json.dumps([CONTROL.format(seed), "code"]),
    }
    return saying(moved, identities=identities)


def tagged(result):
    """A fit whose examples are in groups, and are about words."""
    names = ("main", "sub")
    few = Tags(np.arange(N) % 5 // 4, names)
    words = Tags(np.arange(N), tuple(f"secret{i}" for i in range(N)))
    some = Tags(np.arange(N) % 3, ("secret-a", "secret-b", "secret-c"))
    lengths = Tags(np.arange(N) % 40, tuple(map(str, range(40))))
    strata = {"clause": few, "form": words, "target": some, "length": lengths}
    return replace(result, strata=strata, clusters={"target": some.codes})


def later(result):
    """The same, measured later with other code."""
    said = result.provenance.identities
    other = {kind: text.replace('"code"', '"other code"') for kind, text in said.items()}
    return replace(result.provenance, identities=other, date="2099-01-01T00:00:00")


def store(results, folder):
    """Results as the folder of a run, and the folder."""
    return lingprobe.Evaluation(tuple(results)).save(folder)


def make_board(measured, *submissions):
    """A board of what its operator measured, and of submissions."""
    merged = merge_submissions(submissions, describe_results(measured, SubmitterStatement()))
    return BoardContents(merged, compute_standings(merged.measured, merged.reported))
