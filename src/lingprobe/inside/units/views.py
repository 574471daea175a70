"""What is shown of attention probes: what they look at."""

from __future__ import annotations

from pathlib import Path

from lingprobe.analysis.frame import RUN_KEYS, USED, ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.statistics import ExampleMarks, MeanScore
from lingprobe.inside.units.notes import Looks
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_page import ListTable, View

_TASK = ("task", "metric")


def arrange_tasks(frame: ResultFrame) -> ResultFrame:
    """The rows of each task, baselines first."""
    return frame.arrange_roles(*_TASK)


ATTENTION_VIEW = View(
    name="attention",
    about="What attention probes look at.",
    keys=RUN_KEYS,
    extra=(Looks,),
    prepare=arrange_tasks,
    where={"control": NO_CONTROL, "role": ("baseline", "trained"), Looks.key: USED},
    statistics=(MeanScore(), ExampleMarks("mark", _TASK)),
    nothing="no task was measured with the attention probe (--probe attention)",
    tables=(
        ListTable(
            columns=(
                *(("encoder", "encoder"), ("layer", "layer"), ("score", "score")),
                *(("first", "first"), ("last", "last"), ("even", "even"), ("words", "words")),
            ),
            rows="true",
            sections=_TASK,
            words=("encoder", "layer", "words"),
            title="",
            lead="",
        ),
    ),
    fields=("task", "encoder", "layer", "probe", "score", "low", "high", "n=n_test", Looks.key),
    sentences=Path(__file__).with_name("attention.j2"),
    names=label_encoders,
)
