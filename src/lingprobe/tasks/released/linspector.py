"""LINSPECTOR (Şahin et al. 2020): tests about words, about pairs of words, and about a word in its
sentence.

The argument is the folder of one test and language, as
`linspector/contextual:intrinsic/data_contextual/Case/polish`, which holds train.txt, dev.txt and
test.txt. A word in its sentence is a span, so that every encoder with vectors of words can be read
there.
"""

from __future__ import annotations

from lingprobe.corpora.columns import CONTEXTUAL, PAIR, WORD
from lingprobe.tasks.released.family import Release, task

FILES = ("train.txt",)

word = task("linspector/word", Release("Which feature has the word?", FILES, WORD))
pair = task(
    "linspector/pair",
    Release(
        "In which feature do the two words differ, or agree?", FILES, PAIR, view="mean+contrast"
    ),
)
contextual = task(
    "linspector/contextual",
    Release("Which feature has the word in its sentence?", FILES, CONTEXTUAL),
)
