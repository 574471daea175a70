"""Scores for the Hugging Face hub: a section of a model's card with its metadata (`model-index`),
and `.eval_results/*.yaml` for a benchmark of the hub
(https://huggingface.co/docs/hub/model-cards, https://huggingface.co/docs/hub/eval-results).
"""

from __future__ import annotations

import importlib.metadata
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.analysis.frame import ANY_VALUE, RUN_KEYS, ResultFrame
from lingprobe.analysis.row import NO_CONTROL, said_of
from lingprobe.analysis.statistics import ClusterNames, ExampleMarks, MeanScore, OtherBest
from lingprobe.data.cache import write_text
from lingprobe.data.errors import UsageProblem
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.mteb import hub_name
from lingprobe.pages.open_files import file_name, make_file_names
from lingprobe.pages.verdicts import VerdictStatement
from lingprobe.pages.view_page import FrameView, ListTable, compute_rows, show_rows
from lingprobe.tables.markup import format_markdown
from lingprobe.tables.page import Page
from lingprobe.tables.table import Table, format_number

_CARD, _RESULTS = "README.md", ".eval_results"


def name_on_hub(encoders: Iterable[str]) -> dict[str, str]:
    """What models are called on the hub, by reference."""
    return {encoder: hub_name(encoder) for encoder in encoders}


def mark_scored(shown: ResultFrame) -> ResultFrame:
    """The rows that have a score, those over other test examples than most of a task with a
    sign.
    """
    scores = shown.column("score")
    scored = shown.take([k for k, score in enumerate(scores) if not math.isnan(score)])
    return scored.with_columns(ExampleMarks("mark", ("encoder", "task")).compute(scored, scored))


_OTHER = {
    "encoder": ANY_VALUE,
    "layer": ANY_VALUE,
    "site": ANY_VALUE,
    "metric": ANY_VALUE,
    "erased": ANY_VALUE,
}
CARD_VIEW = FrameView(
    name="card",
    about="Scores of models, with the best baseline and the oracle of each task.",
    keys=RUN_KEYS,
    extra=("fit", "origin"),
    where={"control": NO_CONTROL, "role": "trained"},
    statistics=(
        MeanScore(),
        OtherBest("baseline", {"role": "baseline", **_OTHER}),
        OtherBest("oracle", {"role": "oracle", **_OTHER}),
        ClusterNames("clusters"),
    ),
    listed="score is not unknown",
    nothing="no model has a score here: baselines and oracles have no card",
    expand=mark_scored,
    tables=(
        ListTable(
            columns=(
                *(("task", "task"), ("layer", "layer"), ("probe", "probe"), ("score", "score")),
                *(("95 % interval", "interval"), ("majority", "majority")),
                *(("baseline", "baseline"), ("oracle", "oracle"), ("n", "n")),
            ),
            rows="true",
            sections=(),
            tables=("encoder",),
            heading="",
            words=("task", "layer", "probe"),
        ),
    ),
    fields=(
        *("task", "encoder", "layer", "probe", "metric", "score", "low", "high"),
        *("majority=constant_score", "baseline", "oracle", "n=n_test", "seeds"),
    ),
    sentences=Path(__file__).with_name("card.j2"),
    names=name_on_hub,
)


def card_page(
    frame: ResultFrame, stated: VerdictStatement, benchmark: str | None = None
) -> Page[ResultFrame]:
    """The scores of each model as a section of its card; as a folder, the format `hub`, with the
    metadata that the hub reads: README.md, and .eval_results/ where a benchmark is named.

    stated  the verdicts on the models
    DataProblem where no model is among the results, UsageProblem for a name that no data set of the
    hub has.
    """
    if benchmark is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+", benchmark):
        raise UsageProblem(
            f"benchmark={benchmark!r}: a data set of the hub is called OWNER/NAME, as 'cais/hle'"
        )
    shown = compute_rows(CARD_VIEW, frame)
    facts = {
        "version": importlib.metadata.version("lingprobe"),
        "verdicts": {name: _list_verdicts(stated, name) for name in shown.column("encoder")},
    }
    page = show_rows(CARD_VIEW, shown, facts)
    date = max(frame.column("date"), default="")

    def write(to: Path) -> None:
        parts = [shown.take(numbers) for numbers in shown.groups(("encoder",)).values()]
        _write_model_folders(
            list(map(ModelCard, parts, page.tables, [date] * len(parts))), to, benchmark
        )

    # what is published is complete
    return replace(page, files={"hub": write}, all_notes=True)


class ModelCard(NamedTuple):
    """What one model scores, the table of it, and when the last of it was measured."""

    rows: ResultFrame
    table: Table
    date: str


def _list_verdicts(stated: VerdictStatement, encoder: str) -> tuple[str, ...]:
    """The sentences about a model, and what they rest on."""
    mine = [stated.sentence(one) for one in stated if one.encoder == encoder]
    return (*mine, stated.basis) if mine else ()


def _write_model_folders(cards: Sequence[ModelCard], to: Path, benchmark: str | None) -> None:
    """A folder for each model, whose files are copied into its repository."""
    names = make_file_names(card.table.title for card in cards)
    for card in cards:
        folder = to / names[card.table.title]
        table = format_markdown(replace(card.table, title=""))
        text = f"---\n{_metadata(card)}---\n\n## Probing\n\n{table}"
        write_text(folder / _CARD, text)
        for name, entries in _entries(card, benchmark).items() if benchmark else ():
            write_text(folder / _RESULTS / f"{name}.yaml", entries)


def _metadata(card: ModelCard) -> str:
    """The card's `model-index`, as YAML."""
    hub = _hub()
    results = [
        hub.EvalResult(
            task_type="feature-extraction",
            task_name="Probing",
            dataset_type=file_name(shorten_task(row.task)),
            dataset_name=shorten_task(row.task),
            dataset_split="test",
            metric_type=row.metric,
            metric_name=f"{row.metric} ({_how(row)})",
            metric_value=round(row.score, 2),
            metric_args={
                "low": round(row.low, 2),
                "high": round(row.high, 2),
                "majority": round(row.constant_score, 2),
                "n": row.n_test,
                "seeds": row.seeds,
            },
        )
        for row in card.rows
    ]
    return f"{hub.ModelCardData(model_name=card.table.title, eval_results=results).to_yaml()}\n"


def _entries(card: ModelCard, benchmark: str) -> dict[str, str]:
    """The files of scores on a benchmark, by name: one for each layer and probe, since a file says
    a task once.
    """
    import yaml

    hub, files = _hub(), dict[str, list[Any]]()
    for row in card.rows:
        how = _how(row)
        interval = f"{format_number(row.low)} to {format_number(row.high)}"
        said = f"{how}; 95 % interval {interval}, n = {row.n_test:,}"
        entry = hub.EvalResultEntry(
            dataset_id=benchmark,
            task_id=file_name(shorten_task(row.task)),
            value=round(row.score, 2),
            date=card.date,
            notes=said,
        )
        files.setdefault(how, []).append(entry)
    names = make_file_names(files)
    return {
        names[how]: yaml.safe_dump(
            hub.eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True
        )
        for how, entries in files.items()
    }


def _how(row: Any) -> str:
    """How a score was read, in words."""
    return f"probe {row.probe}{said_of(row.layer)}"


def _hub() -> Any:
    """The library that knows the hub's formats."""
    try:
        import huggingface_hub
        from huggingface_hub import EvalResultEntry  # noqa: F401
    except ImportError:
        raise UsageProblem(
            "cards are written with a huggingface_hub that knows .eval_results: pip install -U"
            " huggingface_hub"
        ) from None
    return huggingface_hub
