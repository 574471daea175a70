"""Probing: what sentence and token embeddings know about language."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sonde._renamed import warn

if TYPE_CHECKING:
    from sonde.analysis.curves import Curve, Curves
    from sonde.analysis.layers import Depth
    from sonde.analysis.relation import Correlation, Relation
    from sonde.annotators.parse import Parsed
    from sonde.annotators.tagger import Tagged
    from sonde.api.claiming import claims
    from sonde.api.cluster import slurm, status
    from sonde.api.curves import curve
    from sonde.api.data import (
        Built,
        Fetched,
        Generated,
        annotate,
        build,
        collections,
        fetch,
        generate,
        inspect,
        score_sheets,
        tag,
        train_vectors,
    )
    from sonde.api.embedding import embed, sentences
    from sonde.api.encoders import (
        configure,
        model,
    )
    from sonde.api.evaluation import (
        Evaluation,
        Figure,
    )
    from sonde.api.experiments import Experiment, read_experiment
    from sonde.api.listing import about, available, bibtex, plugins
    from sonde.api.measure import (
        Settings,
        estimate,
        evaluate,
        run,
        suite,
    )
    from sonde.api.parsing import audit_parser, parse
    from sonde.api.relating import relate
    from sonde.api.results import (
        Holdings,
        Selection,
        card,
        clean_cache,
        compare,
        compare_published,
        holdings,
        layers,
        migrate,
        predictions,
        report,
        results,
    )
    from sonde.api.training import export, train
    from sonde.audit.findings import Audit
    from sonde.audit.parses import ParserAudit
    from sonde.cache import FileProblem
    from sonde.core import (
        Annotated,
        Cell,
        Control,
        Encoder,
        Informed,
        Kinded,
        Layered,
        Needs,
        Predictions,
        Predictor,
        Prepared,
        Probe,
        Result,
        Sampling,
        Task,
        Trial,
    )
    from sonde.corpora.views import (
        Tree,
        Word,
    )
    from sonde.datasets import (
        Candidate,
        sample,
    )
    from sonde.errors import (
        SondeError,
        UsageProblem,
    )
    from sonde.examples import (
        DataProblem,
        Dataset,
        EncoderStop,
        Example,
        Sentence,
        Site,
        Tags,
    )
    from sonde.experiment.agreement import AgreementProblem
    from sonde.experiment.attempt import EncoderProblem
    from sonde.experiment.embed import Embedded
    from sonde.experiment.estimate import Estimate
    from sonde.experiment.plan import PlanProblem
    from sonde.experiment.status import UnitStatus
    from sonde.judgements.bound import Bound
    from sonde.judgements.sheet import Sheet
    from sonde.labels import (
        Classes,
        Column,
        LabelSets,
        Scores,
    )
    from sonde.listing import (
        Entry,
        Option,
        Plugin,
    )
    from sonde.metrics.metric import (
        Metric,
        MetricProblem,
    )
    from sonde.pages.compare import (
        Compared,
        Comparison,
    )
    from sonde.papers.claimed import TestedClaim
    from sonde.papers.encoder_rows import EncoderRow, encoder_rows
    from sonde.papers.significance import (
        Printed,
    )
    from sonde.reading import (
        ReadingProblem,
        Readings,
    )
    from sonde.references import (
        Reference,
        ReferenceProblem,
    )
    from sonde.store.blocks import StoreProblem
    from sonde.store.kept import Cleaning, KeptVectors
    from sonde.store.migration import Holding, Migration
    from sonde.store.stopped import KeptFit
    from sonde.tables.page import Page
    from sonde.tables.table import Table
    from sonde.tasks.answers import (
        Answer,
        Reason,
    )
    from sonde.tasks.find import get_tasks
    from sonde.tasks.released.catalogue import Collection
    from sonde.tasks.rules import question
    from sonde.training.exports import Exported
    from sonde.training.folder import Training
    from sonde.training.static import Trained
    from sonde.vectors import (
        Spans,
        Vectors,
    )

__all__ = [
    "AgreementProblem",
    "Annotated",
    "Answer",
    "Audit",
    "Bound",
    "Built",
    "Candidate",
    "Cell",
    "Classes",
    "Cleaning",
    "Collection",
    "Column",
    "Compared",
    "Comparison",
    "Control",
    "Correlation",
    "Curve",
    "Curves",
    "DataProblem",
    "Dataset",
    "Depth",
    "Embedded",
    "Encoder",
    "EncoderProblem",
    "EncoderRow",
    "EncoderStop",
    "Entry",
    "Estimate",
    "Evaluation",
    "Example",
    "Experiment",
    "Exported",
    "Fetched",
    "Figure",
    "FileProblem",
    "Generated",
    "Holding",
    "Holdings",
    "Informed",
    "KeptFit",
    "KeptVectors",
    "Kinded",
    "LabelSets",
    "Layered",
    "Metric",
    "MetricProblem",
    "Migration",
    "Needs",
    "Option",
    "Page",
    "Parsed",
    "ParserAudit",
    "PlanProblem",
    "Plugin",
    "Predictions",
    "Predictor",
    "Prepared",
    "Printed",
    "Probe",
    "ReadingProblem",
    "Readings",
    "Reason",
    "Reference",
    "ReferenceProblem",
    "Relation",
    "Result",
    "Sampling",
    "Scores",
    "Selection",
    "Sentence",
    "Settings",
    "Sheet",
    "Site",
    "SondeError",
    "Spans",
    "StoreProblem",
    "Table",
    "Tagged",
    "Tags",
    "Task",
    "TestedClaim",
    "Trained",
    "Training",
    "Tree",
    "Trial",
    "UnitStatus",
    "UsageProblem",
    "Vectors",
    "Word",
    "about",
    "annotate",
    "audit_parser",
    "available",
    "bibtex",
    "build",
    "card",
    "claims",
    "clean_cache",
    "collections",
    "compare",
    "compare_published",
    "configure",
    "curve",
    "embed",
    "encoder_rows",
    "estimate",
    "evaluate",
    "export",
    "fetch",
    "generate",
    "get_tasks",
    "holdings",
    "inspect",
    "layers",
    "migrate",
    "model",
    "parse",
    "plugins",
    "predictions",
    "question",
    "read_experiment",
    "relate",
    "report",
    "results",
    "run",
    "sample",
    "score_sheets",
    "sentences",
    "slurm",
    "status",
    "suite",
    "tag",
    "train",
    "train_vectors",
]

_PLACES = {
    "analysis.curves": "Curve Curves",
    "analysis.layers": "Depth",
    "analysis.relation": "Correlation Relation",
    "annotators.parse": "Parsed",
    "annotators.tagger": "Tagged",
    "api.curves": "curve",
    "api.claiming": "claims",
    "api.cluster": "slurm status",
    "api.embedding": "embed sentences",
    "api.data": (
        "Built Fetched Generated annotate build collections fetch generate inspect score_sheets "
        "tag train_vectors"
    ),
    "api.encoders": "configure model",
    "api.evaluation": "Evaluation Figure",
    "api.experiments": "Experiment read_experiment",
    "api.listing": "about available bibtex plugins",
    "api.parsing": "audit_parser parse",
    "api.measure": "Settings estimate evaluate run suite",
    "api.relating": "relate",
    "api.training": "export train",
    "api.results": (
        "Holdings Selection card clean_cache compare compare_published holdings layers migrate "
        "predictions report results"
    ),
    "audit.findings": "Audit",
    "audit.parses": "ParserAudit",
    "cache": "FileProblem",
    "core": (
        "Annotated Cell Control Encoder Informed Kinded Layered Needs Predictions "
        "Predictor Prepared Probe Result Sampling Task Trial"
    ),
    "corpora.views": "Tree Word",
    "datasets": "Candidate sample",
    "errors": "SondeError UsageProblem",
    "examples": "DataProblem Dataset EncoderStop Example Sentence Site Tags",
    "experiment.agreement": "AgreementProblem",
    "experiment.attempt": "EncoderProblem",
    "experiment.embed": "Embedded",
    "experiment.estimate": "Estimate",
    "experiment.plan": "PlanProblem",
    "experiment.status": "UnitStatus",
    "judgements.bound": "Bound",
    "judgements.sheet": "Sheet",
    "labels": "Classes Column LabelSets Scores",
    "listing": "Entry Option Plugin",
    "metrics.metric": "Metric MetricProblem",
    "pages.compare": "Compared Comparison",
    "papers.claimed": "TestedClaim",
    "papers.encoder_rows": "EncoderRow encoder_rows",
    "papers.significance": "Printed",
    "reading": "ReadingProblem Readings",
    "references": "Reference ReferenceProblem",
    "store.blocks": "StoreProblem",
    "store.kept": "Cleaning KeptVectors",
    "store.migration": "Holding Migration",
    "store.stopped": "KeptFit",
    "tables.page": "Page",
    "tables.table": "Table",
    "tasks.answers": "Answer Reason",
    "tasks.find": "get_tasks",
    "tasks.rules": "question",
    "tasks.released.catalogue": "Collection",
    "training.exports": "Exported",
    "training.folder": "Training",
    "training.static": "Trained",
    "vectors": "Spans Vectors",
}
"""The module of each public name; all of them are documented in docs/api.md."""

_RENAMED: dict[str, tuple[str, str]] = {}
"""Public names of earlier versions: old -> (new, the version that renamed it)."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for: importing sonde itself does nothing."""
    if name in _RENAMED:
        new, since = _RENAMED[name]
        warn(f"sonde.{name}", f"sonde.{new}", since)
        name = new
    for place, names in _PLACES.items():
        if name in names.split():
            return getattr(importlib.import_module(f"sonde.{place}"), name)
    raise AttributeError(f"module 'sonde' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
