"""Scores for the Hugging Face hub: a section of a model's card with its metadata (`model-index`),
and `.eval_results/*.yaml` for a benchmark of the hub
(https://huggingface.co/docs/hub/model-cards, https://huggingface.co/docs/hub/eval-results).
"""

from __future__ import annotations

import importlib.metadata
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.analysis.answers import over
from lingprobe.analysis.row import NO_CONTROL, ResultRow
from lingprobe.analysis.rows import newest, rows
from lingprobe.data.cache import write_text
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.errors import UsageProblem
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.mteb import hub_name
from lingprobe.pages.open_files import file_name, make_file_names
from lingprobe.pages.scores import signs_of, test_notes
from lingprobe.pages.verdicts import Statement, statement
from lingprobe.tables.markup import markdown
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

CARD, RESULTS = "README.md", ".eval_results"
HEAD = ("task", "layer", "probe", "score", "95 % interval", "majority", "baseline", "oracle", "n")
NOTES = (
    "Probing scores of this model's frozen vectors, times 100, over n test examples.",
    "majority: the most frequent class. baseline: the strongest one. oracle: vectors that contain"
    " the annotation from which the labels are derived, with the same probe.",
)


class Card(NamedTuple):
    """What one model scores, and the best baseline and the oracle of each task, by task and probe.

    date     when the last of it was measured
    verdict  whether it is better than the baselines, in words
    """

    name: str
    rows: Sequence[ResultRow]
    beside: dict[tuple[str, str], tuple[float, float]]
    date: str
    verdict: tuple[str, ...]


def card_page(results: Sequence[Result], benchmark: str | None = None) -> Page[tuple[Result, ...]]:
    """The scores of each model as a section of its card; as a folder, the format `hub`, with the
    metadata that the hub reads: README.md, and .eval_results/ where a benchmark is named.

    DataProblem where no model is among the results, UsageProblem for a name that no data set of the
    hub has.
    """
    if benchmark is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+", benchmark):
        raise UsageProblem(
            f"benchmark={benchmark!r}: a data set of the hub is called OWNER/NAME, as 'cais/hle'"
        )
    cards = _cards(results)
    if not cards:
        raise DataProblem("no model has a score here: baselines and oracles have no card")
    return Page(
        tuple(results),
        lambda: [_table(card, card.name) for card in cards],
        files={"hub": lambda to: _write(cards, to, benchmark)},
        all_notes=True,  # what is published is complete
    )


def _cards(results: Iterable[Result]) -> list[Card]:
    known = newest(results)
    scored = [r for r in rows(known) if r.control == NO_CONTROL and not math.isnan(r.score)]
    beside = {
        (row.task, row.probe): (_best(scored, row, "baseline"), _best(scored, row, "oracle"))
        for row in scored
    }
    models: dict[str, list[ResultRow]] = {}
    for row in scored:
        if row.kind == "trained":
            models.setdefault(row.encoder, []).append(row)
    date = max((r.provenance.date for r in known), default="")
    stated = statement(known)
    return [
        Card(hub_name(name), mine, beside, date, _verdict(stated, name))
        for name, mine in models.items()
    ]


def _verdict(stated: Statement, encoder: str) -> tuple[str, ...]:
    """The sentences about a model, and what they rest on."""
    mine = [stated.sentence(one) for one in stated if one.encoder == encoder]
    return (*mine, stated.basis) if mine else ()


def _best(scored: Sequence[ResultRow], row: ResultRow, kind: str) -> float:
    """The best score of a kind of encoder on the task of a row, with its probe; NaN without."""
    of_kind = [r.score for r in scored if (r.task, r.probe, r.kind) == (row.task, row.probe, kind)]
    return max(of_kind, default=math.nan)


def _table(card: Card, title: str = "") -> Table:
    signs = signs_of(card.rows)
    lines = tuple(
        (
            shorten_task(row.task),
            row.layer,
            row.probe,
            format_number(row.score) + signs.get(id(row), ""),
            f"{format_number(row.low)} – {format_number(row.high)}",
            format_number(row.majority),
            *map(format_number, card.beside[row.task, row.probe]),
            f"{row.n:,}",
        )
        for row in card.rows
    )
    version = importlib.metadata.version("lingprobe")
    made = f"Measured with lingprobe {version}; {over('seed', card.rows)}"
    notes = (*NOTES, made, *test_notes(card.rows))
    return Table(
        HEAD, (TableSection("", lines),), frozenset(HEAD[:3]), notes, title, lead=card.verdict
    )


def _write(cards: Sequence[Card], to: Path, benchmark: str | None) -> None:
    """A folder for each model, whose files are copied into its repository."""
    names = make_file_names(card.name for card in cards)
    for card in cards:
        folder = to / names[card.name]
        text = f"---\n{_metadata(card)}---\n\n## Probing\n\n{markdown(_table(card))}"
        write_text(folder / CARD, text)
        for name, entries in _entries(card, benchmark).items() if benchmark else ():
            write_text(folder / RESULTS / f"{name}.yaml", entries)


def _metadata(card: Card) -> str:
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
                "majority": round(row.majority, 2),
                "n": row.n,
                "seeds": row.seeds,
            },
        )
        for row in card.rows
    ]
    return f"{hub.ModelCardData(model_name=card.name, eval_results=results).to_yaml()}\n"


def _entries(card: Card, benchmark: str) -> dict[str, str]:
    """The files of scores on a benchmark, by name: one for each layer and probe, since a file says
    a task once.
    """
    import yaml

    hub, files = _hub(), dict[str, list[Any]]()
    for row in card.rows:
        how = _how(row)
        interval = f"{format_number(row.low)} to {format_number(row.high)}"
        said = f"{how}; 95 % interval {interval}, n = {row.n:,}"
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


def _how(row: ResultRow) -> str:
    """How a score was read, in words."""
    return f"probe {row.probe}{row.read}"


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
