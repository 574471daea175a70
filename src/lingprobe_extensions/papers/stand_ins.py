"""Which rows of a paper's table an encoder of lingprobe stands for: by its name and what is read of
it, and of one that was trained by its architecture and objective. Other data and other sizes make
it another encoder all the same, which the reader is told.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from lingprobe import DataProblem, Reference
from lingprobe.extend import read_training_facts, try_parse_reference

_MIX = "mix:lex+1-top"  # of layers (Tenney et al. 2019, equation 1)
ARCHITECTURE_NAMES = {
    "bilstm-last": "BiLSTM-last",
    "bilstm-max": "BiLSTM-max",
    "gated-convnet": "GatedConvNet",
    "lstm-last": "LSTM-last",
}
OBJECTIVE_NAMES = {
    "translate": "NMT",
    "autoencode": "AutoEncoder",
    "next": "SkipThought",
    "parse": "Seq2Tree",
    "infer": "NLI",
}
"""What Conneau et al. (2018, section 3) call architectures and training tasks. Of translations the
target language is not known.
"""
_COMPOSED = {
    ("lstm-last", "denoise"): "SDAE",
    ("gru-last", "skip"): "ST-UNI",
    ("bigru-last", "skip"): "ST-BI",
    ("bilstm-max", "infer"): "InferSent",
}
"""What Ettinger et al. (2018, section 7.1) call trained encoders."""
_SENT2VEC = "bow", "cbow"
"""What Krasnowska-Kieraś & Wróblewska (2019, section 4.4) trained as Sent2Vec with negative
sampling.
"""
_PUBLISHED = {"laser": "LASER", "use": "USE", "sent2vec": "Sent2Vec-orig"}
"""Encoders that Krasnowska-Kieraś & Wróblewska (2019, section 4.4) took as they were published."""
_SKIP_THOUGHT = {"uni": "ST-UNI", "bi": "ST-BI"}
_CONTEXTUAL = {
    ("cove", "lex"): "CoVe lex",
    ("cove", "cat:lex+top"): "CoVe full",
    ("elmo", "lex"): "ELMo lex",
    ("elmo", "mix"): "ELMo full",
    ("elmo", _MIX): "ELMo full",
}
"""Encoders and what is read of them (Tenney et al. 2019, section 3); ELMo's layer 0 is `lex`."""
_READ = {"lex": "lex", "cat:lex+top": "cat", _MIX: "mix"}
_MODELS = {"*bert-base-uncased*": "BERT-base", "*bert-large-uncased*": "BERT-large", "*gpt": "GPT"}
"""Tenney et al. 2019, section 3."""
_DRAWN = frozenset({"trained", "untrained", "bow"})
"""Encoders that a seed decides."""


@dataclass(frozen=True, slots=True, order=True)
class StandIn:
    """An encoder as it stands for a row.

    row     of the paper
    recipe  what it was made of but for the seed: encoders that differ in nothing else are one
    epoch   after which it is read, where that was asked for; 0 for the best or only state, as which
            the epoch that is the best stands, too
    drawn   whether a seed decides what it is
    """

    row: str
    recipe: str
    epoch: int = 0
    drawn: bool = False


def list_stand_ins(encoder: str, read: str, rows: tuple[str, ...], best: int = 0) -> list[StandIn]:
    """An encoder by its reference and what is read of it, as each of the rows; none before it was
    trained. `best` is the epoch that is the best of its training, if that is known.
    """
    parsed = try_parse_reference(encoder) or Reference(encoder)
    recipe = str(parsed.without("seed"))
    epochs = [0]
    if parsed.name == "trained":
        said = dict(parsed.options).get("epoch", "best")
        if said == "0":
            return []
        if said.isdecimal():
            epochs = [int(said), 0] if int(said) == best else [int(said)]
        facts = trained_facts(parsed.argument or "")
        made = {key: facts.get(key) for key in ("architecture", "objective", "settings", "files")}
        made["settings"] = {k: v for k, v in (made["settings"] or {}).items() if k != "seed"}
        made["files"] = sorted((made["files"] or {}).values())
        recipe = json.dumps(made, sort_keys=True) if facts else str(parsed.without("epoch"))
    return [
        StandIn(row, f"{recipe} {read}", epoch, parsed.name in _DRAWN)
        for row in dict.fromkeys(rows)
        for epoch in epochs
    ]


@functools.cache
def trained_facts(folder: str) -> Mapping[str, Any]:
    """What the folder of a trained encoder says of it, read once; nothing where it is gone."""
    try:
        return read_training_facts(Path(folder).expanduser())
    except DataProblem:
        return {}


def rows_of(paper: str, encoder: str, read: str, language: str) -> tuple[str, ...]:
    """The rows of a paper that an encoder stands for, by its reference, what is read of it, and the
    language of the task (`English`).
    """
    parsed = try_parse_reference(encoder)
    if parsed is None:
        return ()
    options = {"pool": "mean", **dict(parsed.options)}
    name, argument = parsed.name, parsed.argument or ""
    facts = trained_facts(argument) if name == "trained" else {}
    how = str(facts.get("architecture", "")), str(facts.get("objective", ""))
    if paper == "conneau2018":
        return _conneau(name, argument, options["pool"], how)
    if paper == "ettinger2018":
        known = _COMPOSED.get(how, "")
        if name == "skipthought":
            known = _SKIP_THOUGHT.get(options.get("model", ""), "")
        return _some("BOW" if name == "static" and options["pool"] == "mean" else known)
    if paper == "ud2019":
        known = "Sent2Vec-NS" if how == _SENT2VEC and options["pool"] == "mean" else ""
        return _some(known or _krasnowska(name, argument, options), f"{language}, ")
    drawn = options.get("weights", "trained") != "trained"
    return () if drawn else _some(_tenney(name, argument, read))


def _some(row: str, before: str = "") -> tuple[str, ...]:
    return (before + row,) if row else ()


def _conneau(name: str, argument: str, pool: str, how: tuple[str, str]) -> tuple[str, ...]:
    if name == "static" and pool == "mean":
        return ("BoV-fastText",)
    if name == "untrained" and (argument or "bilstm-max") in ARCHITECTURE_NAMES and pool != "none":
        return (f"{ARCHITECTURE_NAMES[argument or 'bilstm-max']}, Untrained",)
    architecture, objective = ARCHITECTURE_NAMES.get(how[0], ""), OBJECTIVE_NAMES.get(how[1], "")
    return _some(f"{architecture}, {objective}" if architecture and objective else "")


def _tenney(name: str, argument: str, read: str) -> str:
    """Rows of Tenney et al. (2019, section 3)."""
    model = next((m for p, m in _MODELS.items() if fnmatchcase(argument, p)), "")
    known = f"{model} {_READ[read]}" if name == "hf" and model and read in _READ else ""
    return _CONTEXTUAL.get((name, read), known)


def _krasnowska(name: str, argument: str, options: Mapping[str, str]) -> str:
    """Rows of Krasnowska-Kieraś & Wróblewska (2019, section 4.4), without their language."""
    if name == "static" and options["pool"] in ("mean", "max"):
        return f"fastText-{options['pool']}"
    if name == "hf" and fnmatchcase(argument, "*bert-base-multilingual-cased"):
        pooled = options["pool"] in ("mean", "max") and options.get("layers") == "penultimate"
        return f"BERT-{options['pool']}" if pooled else ""
    known = "LASER" if "laser" in argument.casefold() else ""
    return _PUBLISHED.get(name, known)
