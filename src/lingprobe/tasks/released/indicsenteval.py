"""IndicSentEval: one CSV a task and language, label and sentence, without splits (write
splits=sampled).

Many rows of the published files have no label: an error, or with on_error=skip left out and
counted.
"""

from __future__ import annotations

from lingprobe.corpora.columns import INDIC
from lingprobe.tasks.released.family import Release, task

indicsenteval = task(
    "indicsenteval", Release("Which label does the file give the sentence?", ("a file",), INDIC)
)
