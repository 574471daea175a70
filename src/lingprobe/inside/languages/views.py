"""What is shown of transfer, between languages and between data sets of one's own: sources below
each other, targets beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import NamedTuple

from lingprobe.analysis.detection import PositiveShare, RecallAtThreshold, UnpairedDifference
from lingprobe.analysis.frame import ANY_VALUE, RUN_KEYS, OwnValue, ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.statistics import (
    BetterThanEach,
    MeanScore,
    OtherMaximum,
    RankArea,
    ScoreWhere,
    ShareKept,
)
from lingprobe.data.core import DataProblem
from lingprobe.data.references import remove_options, try_parse_reference
from lingprobe.encoders.own_baselines import is_copy
from lingprobe.inside.languages.cells import OWN_DATA_TASK
from lingprobe.inside.languages.distances import Distances, MantelTest, add_distances
from lingprobe.inside.languages.transfer import name_places
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.unreadable import count_read_words, describe_unreadable
from lingprobe.pages.view_figures import HeatFigure
from lingprobe.pages.view_page import FrameView, MatrixTable, ViewSection
from lingprobe.tables.heat import HeatLook

OWN_SUBWORD_BAG = {"layers": "lex", "weights": "random"}  # a bag of an encoder's own subwords
_NAME = "{{ names.get(encoder, encoder) }}"
_OTHER_ENCODER = {
    "encoder": ANY_VALUE,
    "probe": ANY_VALUE,
    "layer": ANY_VALUE,
    "site": ANY_VALUE,
    "erased": ANY_VALUE,
}
_FLOORS = {"role": "baseline", **_OTHER_ENCODER}
_UPPER = {
    "train_on": OwnValue("language"),
    "layer": ANY_VALUE,
    "site": ANY_VALUE,
    "asked": ANY_VALUE,
}


_OWN_TEST = {"language": OwnValue("train_on"), "asked": ANY_VALUE}
_RATE = 0.01  # of false positives


class TransferReference(NamedTuple):
    """What a reference of `transfer` says: the question with what decides it, the places of source
    and target, and whether these are data of one's own.
    """

    task: str
    source: str
    target: str
    is_own: bool = False


def split_reference(task: str) -> TransferReference | None:
    """What a reference says, if it is one of `transfer`."""
    parsed = try_parse_reference(task)
    if parsed is None or parsed.name != "transfer" or parsed.argument is None:
        return None
    options = dict(parsed.options)
    asked = [options.get("task", "")]
    asked += [
        f"{key}={options[key]}" for key in ("by", "training") if options.get(key, "none") != "none"
    ]
    asked += ["centred"] * (options.get("centred") == "true")
    is_own = asked[0].partition(",")[0] == OWN_DATA_TASK
    return TransferReference(", ".join(asked), parsed.argument, options.get("test", ""), is_own)


def split_tasks(frame: ResultFrame, distances: Distances = MappingProxyType({})) -> ResultFrame:
    """The rows of `transfer`, each encoder at the layer chosen on the dev of the source, the same
    for all targets, with question, source and target as columns of their own.

    distances  between languages, where they are known
    """
    pairs = [split_reference(task) for task in frame.column("task")]
    own = frame.take([number for number, pair in enumerate(pairs) if pair])
    if not len(own):
        raise DataProblem(
            "none of these results is of transfer: `lingprobe transfer` measures some"
        )
    task, source, target, is_own = zip(*filter(None, pairs), strict=True)
    names = name_places({*source, *target})
    split = own.with_columns(
        {
            "asked": own.column("task"),
            "task": task,
            "train_on": [names[place] for place in source],
            "language": [names[place] for place in target],
            "data_kind": ["tables" if each else "treebanks" for each in is_own],
        }
    )
    best = split.take_best("layer", ("task", "train_on", "encoder", "probe"), by="dev_score")
    return add_distances(best.arrange_roles("asked", "metric"), distances)


def name_transfer_encoders(encoders: Iterable[str]) -> Mapping[str, str]:
    """Names of encoders by reference; a bag of an encoder's own pieces is called that."""
    parsed = {encoder: try_parse_reference(encoder) for encoder in encoders}
    bags = {
        encoder: str(one.argument)
        for encoder, one in parsed.items()
        if one is not None and set(OWN_SUBWORD_BAG.items()) <= set(one.options)
    }
    several = len(set(bags.values())) > 1
    called = {
        encoder: f"subwords of {PurePath(name).name}" if several else "subwords"
        for encoder, name in bags.items()
    }
    return {**label_encoders(encoder for encoder in parsed if encoder not in bags), **called}


@dataclass(frozen=True)
class _Unreadable:
    """Which targets an encoder cannot read, in a line (`NAME`), the same in all its rows; '' for
    none.
    """

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Mapping[str, list[str]]:
        counts = count_read_words(shown, "language")
        names = name_transfer_encoders(shown.column("encoder"))
        lines = {
            encoder: " ".join(
                describe_unreadable(
                    (each for each in counts if each.encoder == encoder),
                    lambda encoder: names.get(encoder, encoder),
                )
            )
            for encoder in set(shown.column("encoder"))
        }
        return {self.name: [lines[encoder] for encoder in shown.column("encoder")]}


@dataclass(frozen=True)
class _RepeatedCopy:
    """Whether a row is of an untrained copy beside the one without a seed, which stands for all of
    its kind: `NAME`.
    """

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Mapping[str, list[bool]]:
        encoders = set(shown.column("encoder"))
        repeated = {
            encoder
            for encoder in filter(is_copy, encoders)
            if remove_options(encoder, "seed") in encoders - {encoder}
        }
        return {self.name: [encoder in repeated for encoder in shown.column("encoder")]}


_TABLE = MatrixTable(
    rows="train_on",
    columns="language",
    tables=("task", "probe"),
    parts=("encoder",),
    corner="trained on",
    strong="train_on == language",
    sections=(
        ViewSection(
            _NAME,
            "score",
            "{{ describe_layers(rows) }}",
            when="not is_repeated_copy",
        ),
        ViewSection(
            f"{_NAME}: AUC",
            "area",
            when="role != 'trained' and not judged(rows)",
        ),
        ViewSection(
            f"{_NAME}: AUC, and in brackets that of the strongest baseline",
            "areas",
            when="role == 'trained'",
        ),
        ViewSection(f"{_NAME}: strongest baseline", "best_floor", when="role == 'trained'"),
        ViewSection(f"{_NAME}: kept", "kept", when="role == 'trained' and data_kind != 'tables'"),
        ViewSection(
            f"{_NAME}: recall at 1 % false positives on dev, and in brackets the rate on test",
            "recall_at_rate",
            when="data_kind == 'tables' and is_shown(rows, encoder)|trim and has_recall(rows)|trim",
        ),
        ViewSection(
            f"{_NAME}: difference from its own test",
            "drop",
            when="data_kind == 'tables' and is_shown(rows, encoder)|trim",
        ),
        ViewSection(
            f"{_NAME}: difference from a probe trained there",
            "gap",
            when="data_kind == 'tables' and role == 'trained'",
        ),
    ),
)
_FIGURE = HeatFigure(
    rows="train_on",
    columns="language",
    maps=("task", "probe", "encoder"),
    look=HeatLook(
        "Trained in one {{ 'data set' if data_kind == 'tables' else 'language' }} (rows), tested in"
        " another (columns).",
        wide=0.8,
    ),
    title="map_title",
    text="map_text",
    strong="train_on == language",
    when="role == 'trained'",
)
TRANSFER_VIEW = FrameView(
    name="transfer",
    about="Training in one language or data set, test in another: a matrix with baselines and upper"
    " bounds.",
    keys=(*RUN_KEYS, "asked"),
    prepare=split_tasks,
    where={"control": NO_CONTROL, "role": ("baseline", "trained")},
    statistics=(
        MeanScore(),
        _Unreadable("unreadable"),
        _RepeatedCopy("is_repeated_copy"),
        RankArea("auc"),
        OtherMaximum("floor_auc", "auc", _FLOORS),
        BetterThanEach("over", _FLOORS, has_constant=True),
        BetterThanEach("loss", _UPPER, is_lower=True),
        ScoreWhere("upper", ("train_on", "language"), "loss_best_score"),
        ShareKept("share_kept", "over_best_score", "upper"),
        PositiveShare("prevalence"),
        RecallAtThreshold("recall", _RATE),
        UnpairedDifference("drop", _OWN_TEST),
        MantelTest(("task", "probe", "encoder")),
    ),
    tables=(_TABLE,),
    fields=(
        *("task", "encoder", "layer", "probe", "kind=role", "source=train_on", "target=language"),
        *("train=n_train", "n=n_test", "score", "low", "high", "constant=constant_score"),
        *("auc", "auc_low", "auc_high", "floor=over_best", "floored=over_best_score", "over"),
        *("over_low", "over_high", "over_p", "verdict=over_verdict", "upper", "loss", "loss_low"),
        *("loss_high", "loss_p", "drop", "drop_low", "drop_high", "positive", "prevalence"),
        *("recall", "recall_low", "recall_high", "false_positives=recall_false"),
        *("false_low=recall_false_low", "false_high=recall_false_high", "distance"),
    ),
    first="role == 'trained'",
    sentences=Path(__file__).with_name("transfer.j2"),
    names=name_transfer_encoders,
    is_scored=True,
    figure=_FIGURE,
)
