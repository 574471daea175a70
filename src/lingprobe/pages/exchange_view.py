"""What is shown of other content words: scores in sentences that have them beside those in the
sentences as they are, so that what of a score needs words that belong together is seen (Hall
Maudslay & Cotterell 2021).
"""

from __future__ import annotations

from pathlib import Path

from lingprobe.analysis.frame import ANY_VALUE, NON_EMPTY_VALUE, RUN_KEYS, ResultFrame
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE
from lingprobe.analysis.statistics import (
    BetterThanEach,
    FirstKnown,
    MeanScore,
    OtherMaximum,
    OtherScore,
)
from lingprobe.data.references import Reference
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_page import FrameView, ListTable
from lingprobe.tasks.edge.exchange import WordExchanges

_OPTION = "exchange"
_OWN = {"exchange": ""}
_IS_COMPARED = "change is not unknown"
_SECTION = ("task", "exchange")


def split_exchange(frame: ResultFrame) -> ResultFrame:
    """The rows with the task as it is without other words, where words were exchanged (test, all;
    '' where they were not), and the percent of the content words that gave way, as columns.
    """
    rows = frame.arrange_roles("task", "metric")
    tasks = [Reference.parse(task) for task in rows.column("task")]
    pairs = zip(tasks, rows.read_notes(WordExchanges), strict=True)
    known = [note if _OPTION in dict(task.options) else None for task, note in pairs]
    return rows.with_columns(
        {
            "task": [str(task.without(_OPTION)) for task in tasks],
            "exchange": [note.where if note else "" for note in known],
            "share": [PERCENT_SCALE * note.share if note else 0.0 for note in known],
        }
    )


EXCHANGE_VIEW = FrameView(
    name="exchange",
    about="What encoders score in sentences with other content words (`exchange=`), beside what"
    " they score in these sentences as they are.",
    keys=(*RUN_KEYS, "exchange"),
    extra=(WordExchanges,),
    prepare=split_exchange,
    where={"control": NO_CONTROL, "exchange": NON_EMPTY_VALUE},
    statistics=(
        MeanScore(),
        OtherScore("own", _OWN),
        OtherMaximum("on_dev", "dev_score", _OWN),
        FirstKnown("chosen_by", ("on_dev", "own")),
        # sentences are meant to differ, so that labels alone say whether trees are the same
        BetterThanEach("change", _OWN, role=ANY_VALUE, is_by_labels=True),
    ),
    listed=_IS_COMPARED,
    nothing="no task was measured both with and without exchange= on the same test examples:"
    " `lingprobe run -t edge/pos:TREEBANK edge/pos:TREEBANK,exchange=test -e ENCODER` measures"
    " them",
    tables=(
        ListTable(
            columns=(
                *(("encoder", "encoder"), ("layer", "layer"), ("probe", "probe")),
                *(("own words", "own"), ("others", "others"), ("change", "change")),
                *(("95 % interval", "interval"), ("n", "n")),
            ),
            rows=_IS_COMPARED,
            sections=_SECTION,
            heading="{{ heading(rows[0]) }}",
            words=("encoder", "layer", "probe"),
        ),
    ),
    fields=(
        *("task", "exchange", "encoder", "layer", "probe", "kind=role", "own", "others=score"),
        *("change", "low=change_low", "high=change_high", "p=change_p", "share", "on_dev"),
        "n=n_test",
    ),
    sentences=Path(__file__).with_name("exchange.j2"),
    names=label_encoders,
)
