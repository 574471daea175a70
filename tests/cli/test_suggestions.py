"""What people call things elsewhere: the answer names what they meant, by meaning before spelling."""

import inspect
import shlex
import sys

import pytest

import lingprobe
from lingprobe.cli import COMMANDS, main
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.suggestions import _load_suggestions
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.metrics.metric import METRICS
from lingprobe.nets.device import _NAMES, check_device_name
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

LINES = [
    ("run --seed 3", "did you mean --seeds?"),
    ("run --metric f1", "a metric belongs to the task"),
    ("run --classifier mlp", "did you mean --probe?"),
    ("run --epochs 3", "options of a probe stand behind its name"),
    ("run --lr 0.1", "options of a probe stand behind its name"),
    ("run --read 3", "did you mean --layers?"),
    ("run --layer 3", "did you mean --layers?"),
    ("run --pooling cls", "pooling belongs to the encoder"),
    ("run --gpu", "did you mean --device?"),
    ("run --cuda", "did you mean --device?"),
    ("run --fp16", "precision belongs to the encoder"),
    ("run --folds 5", "folds are drawn where"),
    ("run --workers 2", "did you mean --jobs?"),
    ("run --num-workers 2", "did you mean --jobs?"),
    ("run --n-jobs 2", "did you mean --jobs?"),
    ("run --max-samples 100", "did you mean --limit?"),
    ("run --outdir x", "did you mean --output?"),
    ("run --output-dir x", "did you mean --output?"),
    ("run --save x", "did you mean --output?"),
    ("run --dryrun", "did you mean --dry-run?"),
    ("run --verbose", "errors have their traceback with --debug"),
    ("run --force", "nothing is measured twice"),
    ("run --overwrite", "nothing is measured twice"),
    ("run --lang en", "did you mean --language?"),
    ("run --random-state 1", "did you mean --seeds?"),
    ("run --model-name x", "did you mean --model?"),
    ("run --dataset x.csv -e length", "did you mean --task?"),
    ("run --data x.csv -e length", "did you mean --task?"),
    ("run --input x.csv -e length", "did you mean --task?"),
    ("run --embeddings x.npz", "did you mean --encoder?"),
    ("run --text-column a", "columns belong to the task"),
    ("run --csv", "did you mean --format?"),
    ("run --silent", "did you mean --quiet?"),
    ("run --test-size 0.2", "splits belong to the task"),
    ("run --batch_size 8", "did you mean --batch-size?"),
    ("run --dry_run", "did you mean --dry-run?"),
    ("run --alpha 1", "options of a probe stand behind its name"),
    ("evaluate -t TASK", "did you mean run?"),
    ("eval -t TASK", "did you mean run?"),
    ("probe -t TASK", "did you mean run?"),
    ("download senteval", "did you mean fetch?"),
    ("results x", "no command x (`lingprobe results --help`"),
    ("table x", "did you mean report?"),
    ("audit TASK", "did you mean inspect?"),
    ("encode x", "did you mean embed?"),
    ("diff a b", "did you mean compare?"),
    ("encodrs", "did you mean encoders?"),
    ("frobnicate", "no command frobnicate (`lingprobe --help`"),
    ("run --probe-device gpu", "did you mean cuda?"),
]


@pytest.mark.parametrize(("line", "said"), LINES)
def test_a_line_is_answered_by_what_was_meant(line, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["lingprobe", *shlex.split(line)])
    with pytest.raises(SystemExit) as end:
        main()
    (answer,) = capsys.readouterr().err.splitlines()
    assert end.value.code == 2
    assert said in answer


ROOMS = {
    "probe": PROBES,
    "control": CONTROLS,
    "metric": METRICS,
    "encoder": ENCODERS,
    "task": TASKS,
}
NAMED = [
    ("probe", "logistic", "logreg"),
    ("probe", "lda", "linear"),
    ("probe", "LogisticRegression", "logreg"),
    ("probe", "svm", "logreg"),
    ("probe", "nn", "mlp"),
    ("probe", "MLP", "mlp"),
    ("probe", "mdl", "online"),
    ("probe", "logref", "logreg"),
    ("control", "random", "shuffled"),
    ("control", "selectivity", "word-labels"),
    ("control", "suffled", "shuffled"),
    ("metric", "f1", "macro-f1"),
    ("metric", "acc", "accuracy"),
    ("metric", "macro_f1", "macro-f1"),
    ("metric", "pearsonr", "pearson"),
    ("encoder", "sbert", "st"),
    ("encoder", "bert", "hf"),
    ("encoder", "word2vec", "static"),
    ("task", "ner", "edge/entities"),
    ("task", "edge/upos", "edge/pos"),
    ("task", "sentiment", "text/mr"),
    ("task", "case", "ud/feat"),
    ("task", "word order", "tree/bigram-shift"),
    ("task", "voice", "ud/passive"),
    ("task", "csv", "table"),
]


@pytest.mark.parametrize(("kind", "name", "meant"), NAMED)
def test_a_name_is_answered_by_what_was_meant(kind, name, meant):
    with pytest.raises(
        ReferenceProblem, match=f"no {kind} called '{name}'; did you mean '{meant}'"
    ):
        ROOMS[kind].find(name)


@pytest.mark.parametrize(("kind", "name"), [("probe", "xyzzy"), ("control", "qqq"), ("task", "u")])
def test_nothing_is_suggested_where_nothing_is_like_it(kind, name):
    with pytest.raises(ReferenceProblem, match=f"no {kind} called '{name}' \\("):
        ROOMS[kind].find(name)


DEVICES = {
    "gpu": "did you mean cuda",
    "GPU": "did you mean cuda",
    "CUDA": "did you mean cuda",
    "1": "did you mean cuda:1",
    "metal": "did you mean mps",
    "tpu": "write cpu, cuda, cuda:1, mps or auto",
}


@pytest.mark.parametrize("device", DEVICES)
def test_a_device_is_answered_by_what_was_meant(device):
    with pytest.raises(UsageProblem, match=f"device={device}: {DEVICES[device]}"):
        check_device_name(device)


def test_a_device_is_refused_before_any_work():
    with pytest.raises(UsageProblem, match="device=gpu: did you mean cuda"):
        lingprobe.configure(["hf:nowhere"], device="gpu")


def test_all_that_is_suggested_is_there():
    known = {kind: set(room.places()) for kind, room in ROOMS.items()} | {"device": set(_NAMES)}
    known["command"] = set(COMMANDS)
    flags = [flag for each in COMMANDS["run"].command("run").params for flag in each.opts]
    known["option"] = {flag.removeprefix("--") for flag in flags} | {"page"}
    known["argument"] = set(inspect.signature(lingprobe.table).parameters) | known["option"]
    known["function"] = set(lingprobe.__all__)
    for (kind, word), meant in _load_suggestions().items():
        assert " " in meant or meant in known[kind], (kind, meant)
        assert kind in ("option", "argument") or word not in known[kind], (kind, word)
