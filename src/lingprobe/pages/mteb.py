"""Results as files that `mteb` reads: `mteb.ResultCache(FOLDER).load_results()`
(https://github.com/embeddings-benchmark/mteb).

A score of lingprobe is over an encoder, a layer and a probe, one of MTEB over a model; so a layer,
and a probe where tasks have several, belong to the model's name. Controls stand beside the score
that they are a control of, since MTEB averages subsets.
"""

from __future__ import annotations

import importlib.metadata
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE
from lingprobe.data.cache import write_text
from lingprobe.data.digests import digest_pieces
from lingprobe.data.references import try_parse_reference
from lingprobe.tasks.languages import list_task_languages

_LONGEST = 150  # characters of a file's name
_NO_REVISION = "no_revision_available"  # as MTEB writes it
MTEB_EXTRAS = ("origin",)
_BESIDE = {
    **{name: name for name in ("layer", "probe")},
    "n": "n_test",
    "seeds": "seeds",
    "folds": "folds",
    "missing": "missing",
    "train": "n_train",
    "unusable": "unusable",
    "cut": "cut",
    "unseen": "unseen",
    "tested": "tested",
}
"""What else is said of a score, and the columns that have it."""
_MEASURED = ("task", "encoder", "layer", "probe")
_UNSAID = (  # what ModelMeta asks for and results do not tell
    "loader", "release_date", "languages", "n_parameters", "memory_usage_mb", "max_tokens",
    "embed_dim", "license", "open_weights",
    "public_training_code", "public_training_data", "similarity_fn_name", "use_instructions",
    "training_datasets",
)  # fmt: skip


class MtebTaskResult(NamedTuple):
    """One task result: the model's name and revision, and what MTEB calls a task result."""

    model: str
    revision: str
    task: dict[str, Any]


def mteb_lines(frame: ResultFrame, scored: ResultFrame) -> str:
    """One task result a line, of a frame with `MTEB_EXTRAS` and its scores."""
    lines = (
        {"model_name": one.model, "model_revision": one.revision, **one.task}
        for one in task_results(frame, scored)
    )
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines)


def mteb_folder(frame: ResultFrame, scored: ResultFrame, to: Path) -> None:
    """MTEB's format, `--format mteb`, where each layer counts as a model:
    results/MODEL/REVISION/TASK.json, and the model's model_meta.json beside them.
    """
    for one in task_results(frame, scored):
        folder = to / "results" / one.model.replace("/", "__").replace(" ", "_") / one.revision
        meta: dict[str, Any] = {
            **dict.fromkeys(_UNSAID),
            "name": one.model,
            "revision": one.revision,
            "framework": [],
        }
        for name, content in (
            (f"{one.task['task_name']}.json", one.task),
            ("model_meta.json", meta),
        ):
            write_text(folder / name, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def task_results(frame: ResultFrame, rows: ResultFrame) -> Iterator[MtebTaskResult]:
    """The task result of each encoder, layer and probe on each task; controls, oracles and what has
    no score have none of their own.
    """
    probes: dict[tuple[str, ...], set[str]] = {}
    for task, encoder, layer, probe in rows.groups(_MEASURED):
        probes.setdefault((task, encoder, layer), set()).add(probe)
    several = any(len(each) > 1 for each in probes.values())
    runs = frame.where(control=NO_CONTROL).groups(_MEASURED)
    for key, numbers in rows.groups(_MEASURED).items():
        by_control = {row.control: row for row in map(rows.__getitem__, numbers)}
        row = by_control.pop(NO_CONTROL, None)
        # an oracle is no model
        if row is not None and not math.isnan(row.score) and row.role != "oracle":
            measured = frame.where(control=NO_CONTROL).take(runs[key])
            controls = {name: _scale_to_unit(each.score) for name, each in by_control.items()}
            task_result = _build_mteb_task(row, measured, controls)
            yield MtebTaskResult(
                _name_mteb_model(row, several), _revision(measured.column("revision")), task_result
            )


def _build_mteb_task(
    row: Any, measured: ResultFrame, controls: Mapping[str, Any]
) -> dict[str, Any]:
    """What MTEB calls a task result, of a row and of the trained probes behind it."""
    cells = row._asdict()
    shares = {name: _scale_to_unit(cells[name]) for name in ("score", "low", "high")}
    score = {
        "hf_subset": "default",
        "languages": list_task_languages((run.trial.task, run.about) for run in measured.runs),
        "main_score": shares["score"],
        row.metric: shares["score"],
        **{name: shares[name] for name in ("low", "high")},
        "majority": _scale_to_unit(row.constant_score),
        **controls,
        **{name: cells[column] for name, column in _BESIDE.items()},
    }
    known = sorted({*measured.column("data_identity")})
    return {
        "task_name": _filename(row.task),
        "dataset_revision": digest_pieces("\n".join(known), size=20),
        "mteb_version": None,
        "evaluation_time": None,
        "kg_co2_emissions": None,
        "scores": {"test": [score]},
        "lingprobe_task": row.task,
        "lingprobe_encoder": row.encoder,
        "lingprobe_version": importlib.metadata.version("lingprobe"),
    }


def _name_mteb_model(row: Any, several: bool) -> str:
    """The name of a model, with the layer and the probe that belong to it."""
    read = (f",layer={row.layer}" if row.layer != "-" else "") + (
        f",probe={row.probe}" if several else ""
    )
    return hub_name(row.encoder, read)


def hub_name(encoder: str, read: str = "") -> str:
    """What a model is called on the hub, so that its name is that of MTEB's own results, where it
    is of `st:`; of others, the reference.
    """
    parsed = try_parse_reference(encoder)
    if (
        parsed is not None
        and parsed.name == "st"
        and parsed.argument
        and not parsed.options
        and not Path(parsed.argument).exists()
    ):
        name = parsed.argument.partition("@")[0]
        return (
            name + _clean_file_name(read)
            if "/" in name
            else f"sentence-transformers/{name}{_clean_file_name(read)}"
        )
    name = _clean_file_name(encoder.replace(":", "/", 1).replace("//", "/") + read)
    return name if "/" in name else f"lingprobe/{name}"


def _revision(revisions: Iterable[str]) -> str:
    """The commit of a model, or the digest that stands for it."""
    said = {*revisions}
    text = said.pop() if len(said) == 1 else ""
    commit = text.rpartition("=")[2]
    if re.fullmatch(r"\w{7,64}", commit):
        return commit
    return digest_pieces(text, size=20) if text else _NO_REVISION


def _scale_to_unit(value: float) -> float | None:
    return None if math.isnan(value) else round(value / PERCENT_SCALE, 6)


def _clean_file_name(text: str) -> str:
    """A text without what cannot stand in the name of a file, but slashes."""
    return re.sub(r"[^\w.=,+/#@-]+", "_", text)


def _filename(text: str) -> str:
    name = _clean_file_name(text).replace("/", "_")
    return (
        name if len(name) <= _LONGEST else f"{name[: _LONGEST - 9]}-{digest_pieces(text, size=4)}"
    )
