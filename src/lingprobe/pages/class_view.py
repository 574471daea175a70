"""What is shown of classes and labels: how many test examples have each, how many were recognised,
how many others were taken for it (all seeds together), and F1.
"""

from __future__ import annotations

from pathlib import Path

from lingprobe.analysis.class_counts import count_classes
from lingprobe.analysis.frame import RUN_KEYS, ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.statistics import ClassNumber, ExampleMarks
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_page import FrameView, ListTable


def select_labelled(frame: ResultFrame) -> ResultFrame:
    """The rows whose labels are no numbers."""
    golds = [frame.predictions[run][0][0].gold for run in frame.column("run_id")]
    return frame.take([k for k, gold in enumerate(golds) if gold.numbers is None])


def add_classes(shown: ResultFrame) -> ResultFrame:
    """A row for each class or label of each row."""
    counts = [(k, one) for k in range(len(shown)) for one in count_classes(shown.answers(k))]
    return shown.take([k for k, _ in counts]).with_columns(
        {
            "label": [one.name for _, one in counts],
            "there": [one.there for _, one in counts],
            "taken": [one.taken for _, one in counts],
            "right": [one.right for _, one in counts],
            "f1": [one.f1 for _, one in counts],
            "f1_low": [one.low for _, one in counts],
            "f1_high": [one.high for _, one in counts],
        }
    )


CLASS_VIEW = FrameView(
    name="classes",
    about="Counts and F1 by class or label instead of scores.",
    keys=RUN_KEYS,
    extra=("question",),
    prepare=select_labelled,
    where={"control": NO_CONTROL},
    statistics=(ClassNumber("classes"), ExampleMarks("mark", ("task",))),
    nothing="no result here has classes or labels: all are numbers",
    expand=add_classes,
    tables=(
        ListTable(
            columns=(
                *(("class", "label"), ("examples", "there"), ("correct", "right")),
                *(("recall, %", "recall"), ("mistaken for it", "mistaken"), ("F1", "f1")),
                ("95 % interval", "interval"),
            ),
            rows="true",
            sections=("task", "encoder", "layer", "probe", "metric"),
            heading="{{ heading(rows[0]) }}",
            words=("class",),
            title="",
            lead="",
        ),
    ),
    fields=(
        *("task", "encoder", "layer", "probe", "label", "examples=there", "correct=right"),
        *("predicted=taken", "f1", "f1_low", "f1_high"),
    ),
    sentences=Path(__file__).with_name("classes.j2"),
    names=label_encoders,
)
