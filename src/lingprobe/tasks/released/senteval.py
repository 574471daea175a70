"""The ten probing tasks of Conneau et al. 2018 (section 2, Table 2) as SentEval publishes them,
under the paper's names.

One file a task: split, label, words. Labels are numbered in sorted order of their text, as SentEval
does (10 comes before 5).
"""

from __future__ import annotations

from lingprobe.corpora.columns import SENTEVAL
from lingprobe.tasks.questions import LOGISTIC
from lingprobe.tasks.released.family import releases, task

_release = releases(SENTEVAL, "senteval")

sent_len = task(
    "senteval/sent-len", _release("sentence_length", "How long is the sentence, in six bins?")
)
word_content = task(
    "senteval/word-content",
    _release("word_content", "Which of 1000 words does the sentence hold?", LOGISTIC),
)
tree_depth = task(
    "senteval/tree-depth",
    _release("tree_depth", "How deep is the sentence's constituency tree, whatever its length?"),
)
top_const = task(
    "senteval/top-const",
    _release("top_constituents", "Which constituents stand right below the sentence node?"),
)
bigram_shift = task(
    "senteval/bigram-shift",
    _release("bigram_shift", "Are two neighbouring words of the sentence inverted?", altered="I"),
)
tense = task(
    "senteval/tense", _release("past_present", "Is the main verb in the present or in the past?")
)
subj_num = task(
    "senteval/subj-num",
    _release("subj_number", "Is the subject of the main clause singular or plural?"),
)
obj_num = task(
    "senteval/obj-num",
    _release("obj_number", "Is the direct object of the main clause singular or plural?"),
)
somo = task(
    "senteval/somo",
    _release("odd_man_out", "Was a noun or verb of the sentence replaced by another?", altered="C"),
)
coord_inv = task(
    "senteval/coord-inv",
    _release(
        "coordination_inversion",
        "Is the order of the two coordinated clauses inverted?",
        altered="I",
    ),
)
