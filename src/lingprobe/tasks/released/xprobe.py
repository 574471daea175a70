"""X-Probe: nine of SentEval's probing tasks from Wikipedia in seven languages (de, en, es, fi, fr,
ru, tr).

A folder a language, in it a folder a task, in it a file a split (tr.txt, va.txt, te.txt): words,
then the label. The argument is the folder of a language. The published files have faults that
`lingprobe inspect` finds; docs/tasks-published.md lists them.
"""

from __future__ import annotations

from lingprobe.corpora.columns import XPROBE
from lingprobe.tasks.questions import LOGISTIC
from lingprobe.tasks.released.family import releases, task

_release = releases(XPROBE, "xprobe/en")

sent_len = task(
    "xprobe/sent-len", _release("sentence_length", "How long is the sentence, in six bins?")
)
word_content = task(
    "xprobe/word-content",
    _release("word_content", "Which of some mid-frequency words does the sentence hold?", LOGISTIC),
)
tree_depth = task(
    "xprobe/tree-depth", _release("tree_depth", "How deep is the tree of the sentence?")
)
bigram_shift = task(
    "xprobe/bigram-shift",
    _release("bigram_shift", "Are two neighbouring words of the sentence inverted?", altered="I"),
)
tense = task(
    "xprobe/tense", _release("past_present", "Is the main verb in the present or in the past?")
)
subj_num = task(
    "xprobe/subj-num",
    _release("subj_number", "Is the subject of the main clause singular or plural?"),
)
obj_num = task(
    "xprobe/obj-num",
    _release("obj_number", "Is the direct object of the main clause singular or plural?"),
)
somo = task(
    "xprobe/somo",
    _release("odd_man_out", "Was a word of the sentence replaced by another?", altered="Inv"),
)
coord_inv = task(
    "xprobe/coord-inv",
    _release(
        "coordination_inversion",
        "Is the order of the two coordinated clauses inverted?",
        altered="I",
    ),
)
