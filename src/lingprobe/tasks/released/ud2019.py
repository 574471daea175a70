"""The nine data sets that Krasnowska-Kieraś & Wróblewska released with their paper of 2019
(footnote 2), one folder a language.

The authors ran SentEval on them, so its layout is read. How the files are called could not be
checked: capitals and marks do not matter, and the paper's names and those of SentEval are both
understood; any other file is named as the argument.
"""

from __future__ import annotations

from lingprobe.corpora.columns import SENTEVAL
from lingprobe.tasks.questions import LOGISTIC
from lingprobe.tasks.released.family import releases, task

_release = releases(SENTEVAL, "ud2019")

sent_len = task(
    "ud2019/sent-len",
    _release("SentLen sentence_length length", "How many words does the sentence have?"),
)
word_content = task(
    "ud2019/word-content",
    _release(
        "WordContent WC word_content", "Which of some words does the sentence hold?", LOGISTIC
    ),
)
tree_depth = task(
    "ud2019/tree-depth",
    _release("TreeDepth depth", "How deep is the dependency tree of the sentence?"),
)
top_deps = task(
    "ud2019/top-deps",
    _release("TopDeps top_dependents", "Which dependents does the main predicate have?"),
)
passive = task(
    "ud2019/passive", _release("Passive voice", "Is the main clause in the passive voice?")
)
tense = task(
    "ud2019/tense",
    _release("Tense past_present", "Is the main verb in the present or in the past?"),
)
subj_num = task(
    "ud2019/subj-num",
    _release("SubjNum subj_number", "Is the subject of the main clause singular or plural?"),
)
obj_num = task(
    "ud2019/obj-num",
    _release("ObjNum obj_number", "Is the direct object of the main clause singular or plural?"),
)
sent_type = task(
    "ud2019/sent-type",
    _release("SentType sentence_type", "Is the sentence a question, a command, or neither?"),
)
