"""Surveys of treebanks, and transfer between languages and between data sets: as functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np

from lingprobe.analysis.frame import ResultFrame
from lingprobe.api.arguments import (
    as_list,
    takes_options,
)
from lingprobe.api.encoders import make_reference
from lingprobe.api.measure import Settings, run
from lingprobe.api.options import RunOptions
from lingprobe.corpora.languages import language_codes
from lingprobe.corpora.places import find_treebank_folders, get_treebank_folder, locate_path
from lingprobe.corpora.universal import find_treebank
from lingprobe.data.core import DataProblem, LexicalEncoder
from lingprobe.data.references import (
    Reference,
    allow_code,
    try_parse_reference,
)
from lingprobe.encoders import ENCODERS
from lingprobe.inside.languages.cells import OWN_DATA_TASK, CellSettings, list_cells
from lingprobe.inside.languages.distances import Distances, check_distances, read_distances
from lingprobe.inside.languages.metadata import count_forms
from lingprobe.inside.languages.morphology import (
    in_layers,
    list_baseline_encoders,
    list_questions,
)
from lingprobe.inside.languages.morphology_page import show_morphology
from lingprobe.inside.languages.options import MorphologyOptions, SurveyOptions, TransferOptions
from lingprobe.inside.languages.survey import SurveyRow, survey_rows
from lingprobe.inside.languages.survey_page import survey_page
from lingprobe.inside.languages.transfer import get_place_label
from lingprobe.inside.languages.views import OWN_SUBWORD_BAG, TRANSFER_VIEW, split_tasks
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.unreadable import WordCount, describe_unreadable
from lingprobe.pages.view_page import show_frame
from lingprobe.tables.page import Page
from lingprobe.tasks import TASKS
from lingprobe.tasks.find import list_banks

_USUAL = "ud/*"
_LEFT_OUT = ["suite", "shard", "log_to", "keep_scores", "limit"]


@takes_options(SurveyOptions)
def survey(
    treebanks: Sequence[str | Path] | str | Path = (),
    *,
    tasks: Sequence[str] | str = (),
    encoders: Sequence[str] | str = (),
    figure: Literal["heat", "map"] = "heat",
) -> Page[tuple[SurveyRow, ...]]:
    """Which treebanks answer which questions, and what is behind the labels, as `lingprobe
    data languages` shows it: examples, classes, composition and warnings; and which encoders cannot
    read which treebanks.

    DataProblem if there is no treebank. `.content` has a `SurveyRow` for each treebank and task.

        lingprobe.survey().write("survey.csv")
    """
    allow_code(*as_list(tasks), *as_list(encoders))
    given = [place for each in as_list(treebanks) for place in _locate_treebanks(str(each))]
    places = given or list(map(str, find_treebank_folders(get_treebank_folder() or Path())))
    if not places:
        raise DataProblem(
            "no treebank is named, and no UD_* folder is here: name some, or set"
            " LINGPROBE_TREEBANKS to a folder that has them"
        )
    names = [str(each) for task in as_list(tasks) or [_USUAL] for each in TASKS.expand(task)]
    counts = [count for each in as_list(encoders) for count in _count_unknown(each, places)]
    return survey_page(list(survey_rows(places, names)), figure).with_lead(
        describe_unreadable(counts, _name_encoder, get_place_label)
    )


def _count_unknown(encoder: str, places: Sequence[str]) -> Iterable[WordCount]:
    """How many words of treebanks are unknown to an encoder; none where it cannot tell."""
    made = ENCODERS.make(make_reference(encoder))
    if not isinstance(made, LexicalEncoder):
        return
    for place in places:
        forms = count_forms(place)
        unknown = made.unknown(tuple(forms))
        if unknown is not None:
            many = np.fromiter(forms.values(), np.int64, len(forms))
            yield WordCount(encoder, place, int(many.sum()), int(many[unknown].sum()))


def _locate_treebanks(text: str) -> list[str]:
    """The folder of a treebank, or those of all treebanks here of a language, by any name."""
    is_language = not Path(text).exists() and find_treebank(text) is None and language_codes(text)
    banks = list_banks([text]) if is_language else []
    return list(map(str, banks)) or [str(locate_path(text))]


@takes_options(TransferOptions, RunOptions, without=_LEFT_OUT)
def transfer(
    tasks: Sequence[str] | str = (OWN_DATA_TASK,),
    encoders: Any = None,
    *,
    train: Any,
    test: Any,
    matched: bool | None = None,
    by: str = "",
    centred: bool = False,
    size: int | None = None,
    distances: str | Path | None = None,
    **settings: Unpack[Settings],
) -> Page[ResultFrame]:
    """Train a probe in some languages and test it in others, or on some data sets and test it on
    others, as `lingprobe transfer` does: a matrix of sources and targets, with the same probe
    trained in each target beside it. Data sets may be files or, by name, data in memory.

    Of treebanks all cells have the same classes and numbers of examples; of tables each cell has
    all examples. DataProblem if the treebanks have no two classes in common, UsageProblem for no
    source or target. `.content` is a `ResultFrame` with a row for each encoder, source and target.

        print(lingprobe.transfer("ud/tense", "hf:xlm-roberta-base", train="en_ewt", test="pl_pdb"))
        lingprobe.transfer(encoders="hf:gpt2", train={"forum": frame}, test=["mail.csv"])
    """
    how = CellSettings(by, centred, size, matched)
    questions = [Reference.parse(str(task)) for task in as_list(tasks)]
    cells = [cell for task in questions for cell in list_cells(task, train, test, how)]
    apart: Distances = {}
    if distances is not None:
        apart = read_distances(distances)
        check_distances(
            apart, *(map(get_place_label, map(str, as_list(each))) for each in (train, test))
        )
    is_own = all(task.name == OWN_DATA_TASK for task in questions)
    every = encoders
    if not (is_own or isinstance(encoders, Mapping)):
        every = [*as_list(encoders), *_pieces(as_list(encoders))]
    usual: Settings = {} if is_own else {"probes": ["logreg"]}
    given: Settings = {**usual, **settings, "keep_scores": True}
    done = run(cells, every, **given)
    view = replace(TRANSFER_VIEW, prepare=partial(split_tasks, distances=apart))
    found = show_frame(view, ResultFrame.of(done.results))
    return found.with_remarks((*done.remarks, *done.problems))


@takes_options(MorphologyOptions, RunOptions, without=_LEFT_OUT)
def morphology(
    treebank: str,
    encoders: Any = None,
    *,
    feature: str = "*",
    size: int | None = 3000,
    **settings: Unpack[Settings],
) -> Page[ResultFrame]:
    """Whether a feature of words is decodable, in sentences and alone: each layer beside character
    n-grams, random vectors of the model's subwords, and the untrained network.

    `.content` is a `ResultFrame` with a row for each layer.

        print(lingprobe.morphology("fi_tdt", "hf:xlm-roberta-base", feature="Case"))
    """
    asked = list_questions(treebank, feature, size)
    if isinstance(encoders, Mapping):
        every: Any = encoders
    else:
        read = [
            in_layers(make_reference(e)) if isinstance(e, str) else e for e in as_list(encoders)
        ]
        every = [*read, *list_baseline_encoders([each for each in read if isinstance(each, str)])]
    how: Settings = {"probes": ["linear"], "layers": ["layers"], "seeds": 1, **settings}
    done = run(asked, every, **how)
    found = show_morphology(ResultFrame.of(done.results))
    return found.with_remarks((*done.remarks, *done.problems))


def _name_encoder(encoder: str) -> str:
    return label_encoders([encoder])[encoder]


def _pieces(encoders: Sequence[Any]) -> list[str]:
    """A bag of its own word pieces for each transformer that is named."""
    bags: dict[str, None] = {}
    for each in encoders:
        parsed = try_parse_reference(make_reference(each)) if isinstance(each, str) else None
        if parsed is not None and parsed.name in ("hf", "st") and parsed.argument:
            kept = {key: value for key, value in parsed.options if key in ("device", "dtype")}
            pooled = {**OWN_SUBWORD_BAG, "pool": "mean", **kept}
            bags[str(Reference("hf", parsed.argument, tuple(pooled.items())))] = None
    return list(bags)
