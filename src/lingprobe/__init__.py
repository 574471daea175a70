"""Probing: which linguistic properties are decodable from sentence and token embeddings."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from lingprobe.data._packages import entry_points

if "OMP_WAIT_POLICY" not in os.environ:
    # read when torch is loaded: threads that wait in a loop take the time of others, and those that
    # sleep at once are slow to wake
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

if TYPE_CHECKING:
    from lingprobe.analysis.frame import ResultFrame
    from lingprobe.analysis.relation import Correlation, CorrelationTable
    from lingprobe.analysis.scores import Score
    from lingprobe.annotators.parse import ParsedText
    from lingprobe.api.cluster import slurm, status
    from lingprobe.api.curves import curve
    from lingprobe.api.data import (
        BuiltDataset,
        FetchedCollection,
        build,
        collections,
        fetch,
        inspect,
    )
    from lingprobe.api.embedding import embed, sentences
    from lingprobe.api.encoders import configure, model
    from lingprobe.api.evaluation import Evaluation, Figure, load_evaluation
    from lingprobe.api.experiments import Experiment, read_experiment
    from lingprobe.api.keeping import StoreHoldings, clean_cache, holdings
    from lingprobe.api.listing import about, available, bibtex, plugins
    from lingprobe.api.measure import (
        Settings,
        estimate,
        evaluate,
        run,
        suite,
    )
    from lingprobe.api.parsing import audit_parser, parse
    from lingprobe.api.probe_transfer import ProbeTransfer, TransferScore
    from lingprobe.api.probing import ScoredFile, fit, keep_probe, score_file
    from lingprobe.api.relating import relate
    from lingprobe.api.results import (
        Selection,
        card,
        compare,
        compare_published,
        layers,
        predictions,
        report,
        results,
    )
    from lingprobe.api.tables import table
    from lingprobe.api.trained import (
        ProbeThreshold,
        ProbeTrace,
        ScoredTexts,
        TrainedProbe,
        load_probe,
    )
    from lingprobe.audit.findings import Audit
    from lingprobe.audit.parses import ParserAudit
    from lingprobe.cli.declaration import command
    from lingprobe.corpora.views import Tree, Word
    from lingprobe.data.cache import FileProblem
    from lingprobe.data.core import (
        AnnotatedTask,
        Cell,
        Control,
        Encoder,
        EncoderWithKind,
        LayeredEncoder,
        OracleEncoder,
        Predictions,
        Predictor,
        PreparedEncoder,
        Probe,
        ProbeNeeds,
        Result,
        SamplingOptions,
        Task,
        Trial,
    )
    from lingprobe.data.errors import DataProblem, LingprobeError, UsageProblem
    from lingprobe.data.examples import (
        Dataset,
        EncoderStop,
        Example,
        Sentence,
        Site,
        Tags,
    )
    from lingprobe.data.labels import Classes, Column, LabelSets, ScoreLabels
    from lingprobe.data.listing import Entry, Option, Plugin
    from lingprobe.data.options import Help, Options, flag
    from lingprobe.data.reading import ReadingProblem, Readings
    from lingprobe.data.references import Reference, ReferenceProblem
    from lingprobe.data.vectors import Spans, Vectors
    from lingprobe.datasets.candidates import Candidate
    from lingprobe.datasets.draw import sample
    from lingprobe.encoders.token_states import ActivationWriter
    from lingprobe.experiment.agreement import AgreementProblem
    from lingprobe.experiment.attempt import EncoderProblem
    from lingprobe.experiment.embed import EmbeddedSentences
    from lingprobe.experiment.estimate import Estimate
    from lingprobe.experiment.plan import PlanProblem
    from lingprobe.experiment.status import UnitStatus
    from lingprobe.inside.erase.api import erase, intervene
    from lingprobe.inside.erase.effect_cells import EffectCell
    from lingprobe.inside.erase.remainder import without
    from lingprobe.inside.geometry.api import geometry
    from lingprobe.inside.geometry.comparisons import GeometryRow
    from lingprobe.inside.heads.api import rank_heads
    from lingprobe.inside.languages.api import morphology, survey, transfer
    from lingprobe.inside.languages.survey import SurveyRow
    from lingprobe.inside.locate.api import locate
    from lingprobe.metrics.metric import Metric, MetricProblem
    from lingprobe.pages.compare import ComparedScores, Comparison
    from lingprobe.pages.human import HumanBound
    from lingprobe.store.blocks import StoreProblem
    from lingprobe.store.holdings import StoredFiles
    from lingprobe.store.kept_vectors import CacheCleaning, KeptVectors
    from lingprobe.suites.encoder_rows import EncoderRow, encoder_rows
    from lingprobe.suites.significance import PublishedDifference
    from lingprobe.tables.page import Page
    from lingprobe.tables.table import Table
    from lingprobe.tasks.answers import Answer, Reason
    from lingprobe.tasks.find import get_tasks
    from lingprobe.tasks.released.catalogue import Collection
    from lingprobe.tasks.rules import question

__all__ = [
    "ActivationWriter",
    "AgreementProblem",
    "AnnotatedTask",
    "Answer",
    "Audit",
    "BuiltDataset",
    "CacheCleaning",
    "Candidate",
    "Cell",
    "Classes",
    "Collection",
    "Column",
    "ComparedScores",
    "Comparison",
    "Control",
    "Correlation",
    "CorrelationTable",
    "DataProblem",
    "Dataset",
    "EffectCell",
    "EmbeddedSentences",
    "Encoder",
    "EncoderProblem",
    "EncoderRow",
    "EncoderStop",
    "EncoderWithKind",
    "Entry",
    "Estimate",
    "Evaluation",
    "Example",
    "Experiment",
    "FetchedCollection",
    "Figure",
    "FileProblem",
    "GeometryRow",
    "Help",
    "HumanBound",
    "KeptVectors",
    "LabelSets",
    "LayeredEncoder",
    "LingprobeError",
    "Metric",
    "MetricProblem",
    "Option",
    "Options",
    "OracleEncoder",
    "Page",
    "ParsedText",
    "ParserAudit",
    "PlanProblem",
    "Plugin",
    "Predictions",
    "Predictor",
    "PreparedEncoder",
    "Probe",
    "ProbeNeeds",
    "ProbeThreshold",
    "ProbeTrace",
    "ProbeTransfer",
    "PublishedDifference",
    "ReadingProblem",
    "Readings",
    "Reason",
    "Reference",
    "ReferenceProblem",
    "Result",
    "ResultFrame",
    "SamplingOptions",
    "Score",
    "ScoreLabels",
    "ScoredFile",
    "ScoredTexts",
    "Selection",
    "Sentence",
    "Settings",
    "Site",
    "Spans",
    "StoreHoldings",
    "StoreProblem",
    "StoredFiles",
    "SurveyRow",
    "Table",
    "Tags",
    "Task",
    "TrainedProbe",
    "TransferScore",
    "Tree",
    "Trial",
    "UnitStatus",
    "UsageProblem",
    "Vectors",
    "Word",
    "about",
    "audit_parser",
    "available",
    "bibtex",
    "build",
    "card",
    "clean_cache",
    "collections",
    "command",
    "compare",
    "compare_published",
    "configure",
    "curve",
    "embed",
    "encoder_rows",
    "erase",
    "estimate",
    "evaluate",
    "fetch",
    "fit",
    "flag",
    "geometry",
    "get_tasks",
    "holdings",
    "inspect",
    "intervene",
    "keep_probe",
    "layers",
    "load_evaluation",
    "load_probe",
    "locate",
    "model",
    "morphology",
    "parse",
    "plugins",
    "predictions",
    "question",
    "rank_heads",
    "read_experiment",
    "relate",
    "report",
    "results",
    "run",
    "sample",
    "score_file",
    "sentences",
    "slurm",
    "status",
    "suite",
    "survey",
    "table",
    "transfer",
    "without",
]

_PLACES = {
    "inside.erase.api": "erase intervene",
    "inside.erase.effect_cells": "EffectCell",
    "inside.erase.remainder": "without",
    "inside.geometry.api": "geometry",
    "inside.geometry.comparisons": "GeometryRow",
    "inside.heads.api": "rank_heads",
    "inside.languages.api": "morphology survey transfer",
    "inside.languages.survey": "SurveyRow",
    "inside.locate.api": "locate",
    "analysis.frame": "ResultFrame",
    "analysis.relation": "Correlation CorrelationTable",
    "analysis.scores": "Score",
    "annotators.parse": "ParsedText",
    "api.curves": "curve",
    "api.cluster": "slurm status",
    "api.embedding": "embed sentences",
    "api.data": "BuiltDataset FetchedCollection build collections fetch inspect",
    "api.encoders": "configure model",
    "api.evaluation": "Evaluation Figure load_evaluation",
    "api.experiments": "Experiment read_experiment",
    "api.listing": "about available bibtex plugins",
    "api.parsing": "audit_parser parse",
    "api.measure": "Settings estimate evaluate run suite",
    "api.probe_transfer": "ProbeTransfer TransferScore",
    "api.probing": "ScoredFile fit keep_probe score_file",
    "api.trained": "ProbeThreshold ProbeTrace ScoredTexts TrainedProbe load_probe",
    "api.relating": "relate",
    "api.keeping": "StoreHoldings clean_cache holdings",
    "api.results": "Selection card compare compare_published layers predictions report results",
    "api.tables": "table",
    "audit.findings": "Audit",
    "audit.parses": "ParserAudit",
    "cli.declaration": "command",
    "data.cache": "FileProblem",
    "data.core": (
        "AnnotatedTask Cell Control Encoder OracleEncoder EncoderWithKind LayeredEncoder ProbeNeeds"
        " Predictions Predictor PreparedEncoder Probe Result SamplingOptions Task Trial"
    ),
    "corpora.views": "Tree Word",
    "datasets.candidates": "Candidate",
    "datasets.draw": "sample",
    "data.errors": "DataProblem LingprobeError UsageProblem",
    "data.examples": "Dataset EncoderStop Example Sentence Site Tags",
    "encoders.token_states": "ActivationWriter",
    "experiment.agreement": "AgreementProblem",
    "experiment.attempt": "EncoderProblem",
    "experiment.embed": "EmbeddedSentences",
    "experiment.estimate": "Estimate",
    "experiment.plan": "PlanProblem",
    "experiment.status": "UnitStatus",
    "pages.human": "HumanBound",
    "data.labels": "Classes Column LabelSets ScoreLabels",
    "data.listing": "Entry Option Plugin",
    "metrics.metric": "Metric MetricProblem",
    "pages.compare": "ComparedScores Comparison",
    "suites.encoder_rows": "EncoderRow encoder_rows",
    "suites.significance": "PublishedDifference",
    "data.options": "Help Options flag",
    "data.reading": "ReadingProblem Readings",
    "data.references": "Reference ReferenceProblem",
    "store.blocks": "StoreProblem",
    "store.kept_vectors": "CacheCleaning KeptVectors",
    "store.holdings": "StoredFiles",
    "tables.page": "Page",
    "tables.table": "Table",
    "tasks.answers": "Answer Reason",
    "tasks.find": "get_tasks",
    "tasks.rules": "question",
    "tasks.released.catalogue": "Collection",
    "data.vectors": "Spans Vectors",
}
"""The module of each public name; all of them are documented in docs/api.md."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for: importing lingprobe itself does nothing."""
    for place, names in _PLACES.items():
        if name in names.split():
            return getattr(importlib.import_module(f"lingprobe.{place}"), name)
    if name.startswith("_"):  # what libraries ask of every object, of names that nobody mistypes
        raise AttributeError(f"module 'lingprobe' has no attribute {name!r}", name=name)
    for point in entry_points("lingprobe.functions"):
        if point.name == name:  # of an extension or another package
            return point.load()
    from lingprobe.data.suggestions import get_advice, suggest_name

    near = suggest_name("function", name, __all__)
    hint = get_advice("function", name) or (near and f"did you mean {near}?")
    raise AttributeError(
        f"module 'lingprobe' has no attribute {name!r}{hint and ': '}{hint}", name=name
    )


def __dir__() -> list[str]:
    return sorted([*__all__, *(point.name for point in entry_points("lingprobe.functions"))])
