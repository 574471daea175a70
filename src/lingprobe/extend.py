"""What extensions of lingprobe build on, beside the public names of `lingprobe`.

Names are handed on as `lingprobe` itself hands on its own: a module is imported when a name of it
is asked for. Each is a definition of the core that an extension in `lingprobe_extensions` uses.
They may change with any release: semantic versioning holds for `lingprobe` alone.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lingprobe.analysis.answers import mark_test_sets
    from lingprobe.analysis.comparable import ComparedRow, explain_mismatch, group_rows_by_task
    from lingprobe.analysis.comparison import ComparisonQuestion, decide_comparisons
    from lingprobe.analysis.encoder_verdicts import TaskVerdict, judge_encoders
    from lingprobe.analysis.frame import get_encoder_kind
    from lingprobe.analysis.score_columns import compute_scores
    from lingprobe.analysis.score_files import read_score_file
    from lingprobe.annotators.agreement import score_annotations, score_phrases
    from lingprobe.annotators.parser import Annotation, extract_annotation
    from lingprobe.api.arguments import as_list, takes_options
    from lingprobe.api.listing import get_contents
    from lingprobe.api.options import ProgressOptions, SelectionOptions
    from lingprobe.api.results import ResultsSource, read_stored_results
    from lingprobe.api.selection import select_references
    from lingprobe.audit.findings import AuditBaseline
    from lingprobe.audit.floors import SplitHalves
    from lingprobe.cli.options import PageOptions, QuietOptions, TrialOptions, show_page
    from lingprobe.corpora.array_files import ArrayFile
    from lingprobe.corpora.brackets import (
        BRACKET_SUFFIXES,
        BracketTree,
        format_terminal,
        parse_brackets,
        read_brackets,
    )
    from lingprobe.corpora.columns import ColumnLayout
    from lingprobe.corpora.conllu import read_conllu
    from lingprobe.corpora.corpus import list_corpus_files
    from lingprobe.corpora.damage import report_damage
    from lingprobe.corpora.files import CorpusPart, digest_files, read_text_lines, uncompressed_path
    from lingprobe.corpora.languages import name_language
    from lingprobe.corpora.places import locate_path
    from lingprobe.corpora.strict import read_json_document
    from lingprobe.corpora.tagged_text import read_tagged_text
    from lingprobe.corpora.tally import ProblemTally
    from lingprobe.corpora.text import (
        WORD_PATTERN,
        read_running_text,
        split_clitic,
        split_words,
        strip_to_letters,
        tokenize_words,
    )
    from lingprobe.corpora.training_sentences import hash_key
    from lingprobe.corpora.trees import compute_tree_depth
    from lingprobe.data._closure import digest_code
    from lingprobe.data._code import allow_code, is_code_allowed, resolve_beside
    from lingprobe.data._options import PlaceOption
    from lingprobe.data._reference import try_parse_reference
    from lingprobe.data.cache import check_file_ending, open_draft, set_environment, write_text
    from lingprobe.data.checks import check_choice, check_number
    from lingprobe.data.digests import checksum_file, hash_bytes
    from lingprobe.data.errors import describe_install
    from lingprobe.data.labels import column_from_codes
    from lingprobe.data.notes import Checkpoint, NotePart
    from lingprobe.data.progress import show_progress
    from lingprobe.data.reading import POOLS
    from lingprobe.data.references import Contents, shorten_reference
    from lingprobe.data.vectors import Floats, Ints, compute_offsets, expand_ranges
    from lingprobe.datasets.formats.hub_folder import strip_folders
    from lingprobe.datasets.splits import carve_dev
    from lingprobe.encoders.batches import gather_vectors, make_batches, run_batches
    from lingprobe.encoders.facts import read_training_facts
    from lingprobe.encoders.keyed_random import draw_normals
    from lingprobe.encoders.layers import SlotEncoder
    from lingprobe.encoders.model_files import SavedModel
    from lingprobe.encoders.pooling import pool_states
    from lingprobe.encoders.sources import FileSource
    from lingprobe.encoders.surface import WordsOnly
    from lingprobe.encoders.tables import WordTable, gather_word_vectors, open_word_table
    from lingprobe.encoders.untrained import WordInput
    from lingprobe.experiment.data import digest_examples
    from lingprobe.metrics.constant import floor
    from lingprobe.metrics.correlation import coefficients
    from lingprobe.metrics.dependent import error
    from lingprobe.metrics.intervals import FitAnswers, contrast, interval
    from lingprobe.metrics.multiplicity import correct_p_values
    from lingprobe.nets.architectures import draw_network
    from lingprobe.nets.precision import get_processor_level
    from lingprobe.nets.trainable import (
        NetworkArchitecture,
        NetworkShape,
        SentenceNetwork,
        SentencesRead,
    )
    from lingprobe.pages.breakdown import are_shown_singly, compute_stratum_rows
    from lingprobe.pages.captions import label_encoders, name_encoders, shorten_task
    from lingprobe.pages.charts import draw_row_dots
    from lingprobe.pages.descriptions import get_question
    from lingprobe.pages.groups import TaskColumn, arrange_columns
    from lingprobe.pages.human import HumanAnswers
    from lingprobe.pages.open_files import make_file_names
    from lingprobe.pages.records import format_csv
    from lingprobe.pages.scores import describe_scores
    from lingprobe.store.results import PackedResult
    from lingprobe.suites.facts import PaperTable
    from lingprobe.suites.suite import Suite
    from lingprobe.tables.table import TableSection, format_number, format_p_value
    from lingprobe.tables.web import (
        CodeBlock,
        FoldedBlock,
        LinkBlock,
        PageBlock,
        PageChapter,
        ProseBlock,
        TableFacet,
        TableSheet,
        TableVariants,
        TermBlock,
        WebDocument,
        picture,
    )
    from lingprobe.tasks.about import TaskDescription
    from lingprobe.tasks.languages import list_languages
    from lingprobe.tasks.released.family import TaskRelease
    from lingprobe.tasks.released.supply import supply_treebanks
    from lingprobe.tasks.repeats import strip_fold
    from lingprobe.tasks.task import TaskDefinition

__all__ = [
    "BRACKET_SUFFIXES",
    "POOLS",
    "WORD_PATTERN",
    "Annotation",
    "ArrayFile",
    "AuditBaseline",
    "BracketTree",
    "Checkpoint",
    "CodeBlock",
    "ColumnLayout",
    "ComparedRow",
    "ComparisonQuestion",
    "Contents",
    "CorpusPart",
    "FileSource",
    "FitAnswers",
    "Floats",
    "FoldedBlock",
    "HumanAnswers",
    "Ints",
    "LinkBlock",
    "NetworkArchitecture",
    "NetworkShape",
    "NotePart",
    "PackedResult",
    "PageBlock",
    "PageChapter",
    "PageOptions",
    "PaperTable",
    "PlaceOption",
    "ProblemTally",
    "ProgressOptions",
    "ProseBlock",
    "QuietOptions",
    "ResultsSource",
    "SavedModel",
    "SelectionOptions",
    "SentenceNetwork",
    "SentencesRead",
    "SlotEncoder",
    "SplitHalves",
    "Suite",
    "TableFacet",
    "TableSection",
    "TableSheet",
    "TableVariants",
    "TaskColumn",
    "TaskDefinition",
    "TaskDescription",
    "TaskRelease",
    "TaskVerdict",
    "TermBlock",
    "TrialOptions",
    "WebDocument",
    "WordInput",
    "WordTable",
    "WordsOnly",
    "allow_code",
    "are_shown_singly",
    "arrange_columns",
    "as_list",
    "carve_dev",
    "check_choice",
    "check_file_ending",
    "check_number",
    "checksum_file",
    "coefficients",
    "column_from_codes",
    "compute_offsets",
    "compute_scores",
    "compute_stratum_rows",
    "compute_tree_depth",
    "contrast",
    "correct_p_values",
    "decide_comparisons",
    "describe_install",
    "describe_scores",
    "digest_code",
    "digest_examples",
    "digest_files",
    "draw_network",
    "draw_normals",
    "draw_row_dots",
    "error",
    "expand_ranges",
    "explain_mismatch",
    "extract_annotation",
    "floor",
    "format_csv",
    "format_number",
    "format_p_value",
    "format_terminal",
    "gather_vectors",
    "gather_word_vectors",
    "get_contents",
    "get_encoder_kind",
    "get_processor_level",
    "get_question",
    "group_rows_by_task",
    "hash_bytes",
    "hash_key",
    "interval",
    "is_code_allowed",
    "judge_encoders",
    "label_encoders",
    "list_corpus_files",
    "list_languages",
    "locate_path",
    "make_batches",
    "make_file_names",
    "mark_test_sets",
    "name_encoders",
    "name_language",
    "open_draft",
    "open_word_table",
    "parse_brackets",
    "picture",
    "pool_states",
    "read_brackets",
    "read_conllu",
    "read_json_document",
    "read_running_text",
    "read_score_file",
    "read_stored_results",
    "read_tagged_text",
    "read_text_lines",
    "read_training_facts",
    "report_damage",
    "resolve_beside",
    "run_batches",
    "score_annotations",
    "score_phrases",
    "select_references",
    "set_environment",
    "shorten_reference",
    "shorten_task",
    "show_page",
    "show_progress",
    "split_clitic",
    "split_words",
    "strip_fold",
    "strip_folders",
    "strip_to_letters",
    "supply_treebanks",
    "takes_options",
    "tokenize_words",
    "try_parse_reference",
    "uncompressed_path",
    "write_text",
]

_PLACES = {
    "data.labels": "column_from_codes",
    "analysis.answers": "mark_test_sets",
    "analysis.comparable": "ComparedRow explain_mismatch group_rows_by_task",
    "analysis.comparison": "ComparisonQuestion decide_comparisons",
    "analysis.encoder_verdicts": "TaskVerdict judge_encoders",
    "analysis.frame": "get_encoder_kind",
    "analysis.score_columns": "compute_scores",
    "analysis.score_files": "read_score_file",
    "annotators.agreement": "score_annotations score_phrases",
    "annotators.parser": "Annotation extract_annotation",
    "api.arguments": "as_list takes_options",
    "api.listing": "get_contents",
    "api.options": "ProgressOptions SelectionOptions",
    "api.results": "ResultsSource read_stored_results",
    "audit.findings": "AuditBaseline",
    "audit.floors": "SplitHalves",
    "cli.options": "PageOptions QuietOptions TrialOptions show_page",
    "corpora.array_files": "ArrayFile",
    "corpora.brackets": "BRACKET_SUFFIXES BracketTree format_terminal parse_brackets read_brackets",
    "corpora.columns": "ColumnLayout",
    "corpora.conllu": "read_conllu",
    "corpora.corpus": "list_corpus_files",
    "corpora.damage": "report_damage",
    "corpora.files": "CorpusPart digest_files read_text_lines uncompressed_path",
    "corpora.languages": "name_language",
    "corpora.places": "locate_path",
    "corpora.strict": "read_json_document",
    "corpora.tagged_text": "read_tagged_text",
    "corpora.tally": "ProblemTally",
    "corpora.text": (
        "WORD_PATTERN read_running_text split_clitic split_words strip_to_letters tokenize_words"
    ),
    "corpora.training_sentences": "hash_key",
    "corpora.trees": "compute_tree_depth",
    "data._closure": "digest_code",
    "data._code": "allow_code is_code_allowed resolve_beside",
    "data._options": "PlaceOption",
    "data._reference": "try_parse_reference",
    "data.cache": "check_file_ending open_draft set_environment write_text",
    "data.checks": "check_choice check_number",
    "data.digests": "checksum_file hash_bytes",
    "data.errors": "describe_install",
    "data.notes": "Checkpoint NotePart",
    "data.progress": "show_progress",
    "data.reading": "POOLS",
    "data.references": "Contents shorten_reference",
    "data.vectors": "Floats Ints compute_offsets expand_ranges",
    "datasets.formats.hub_folder": "strip_folders",
    "datasets.splits": "carve_dev",
    "encoders.batches": "gather_vectors make_batches run_batches",
    "encoders.facts": "read_training_facts",
    "encoders.keyed_random": "draw_normals",
    "encoders.layers": "SlotEncoder",
    "encoders.model_files": "SavedModel",
    "encoders.pooling": "pool_states",
    "encoders.sources": "FileSource",
    "encoders.surface": "WordsOnly",
    "encoders.tables": "WordTable gather_word_vectors open_word_table",
    "encoders.untrained": "WordInput",
    "experiment.data": "digest_examples",
    "metrics.constant": "floor",
    "metrics.correlation": "coefficients",
    "metrics.dependent": "error",
    "metrics.intervals": "FitAnswers contrast interval",
    "metrics.multiplicity": "correct_p_values",
    "nets.architectures": "draw_network",
    "nets.precision": "get_processor_level",
    "nets.trainable": "NetworkArchitecture NetworkShape SentenceNetwork SentencesRead",
    "pages.breakdown": "are_shown_singly compute_stratum_rows",
    "pages.captions": "label_encoders name_encoders shorten_task",
    "pages.charts": "draw_row_dots",
    "pages.descriptions": "get_question",
    "pages.groups": "TaskColumn arrange_columns",
    "pages.human": "HumanAnswers",
    "pages.open_files": "make_file_names",
    "pages.records": "format_csv",
    "pages.scores": "describe_scores",
    "api.selection": "select_references",
    "store.results": "PackedResult",
    "suites.facts": "PaperTable",
    "suites.suite": "Suite",
    "tables.table": "TableSection format_number format_p_value",
    "tables.web": (
        "CodeBlock FoldedBlock LinkBlock PageBlock PageChapter ProseBlock TableFacet "
        "TableSheet TableVariants TermBlock WebDocument picture"
    ),
    "tasks.about": "TaskDescription",
    "tasks.languages": "list_languages",
    "tasks.released.family": "TaskRelease",
    "tasks.released.supply": "supply_treebanks",
    "tasks.repeats": "strip_fold",
    "tasks.task": "TaskDefinition",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    """Import a name when it is asked for."""
    for place, names in _PLACES.items():
        if name in names.split():
            return getattr(importlib.import_module(f"lingprobe.{place}"), name)
    raise AttributeError(f"module 'lingprobe.extend' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
