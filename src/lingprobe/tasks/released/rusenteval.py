"""RuSentEval (Mikhailov et al. 2021): fourteen probing tasks for Russian, in SentEval's layout.

Only the file of gapping was seen by us; the other questions are worded after the names of the
files.
"""

from __future__ import annotations

from lingprobe.corpora.columns import SENTEVAL
from lingprobe.tasks.questions import LOGISTIC
from lingprobe.tasks.released.family import releases, task

_release = releases(SENTEVAL, "rusenteval")

sent_len = task("rusenteval/sent-len", _release("sent_len", "How long is the sentence, in bins?"))
word_content = task(
    "rusenteval/word-content",
    _release("word_content", "Which of some words does the sentence hold?", LOGISTIC),
)
tree_depth = task(
    "rusenteval/tree-depth",
    _release("tree_depth", "How deep is the dependency tree of the sentence?"),
)
ngram_shift = task(
    "rusenteval/ngram-shift",
    _release("ngram_shift", "Are two neighbouring groups of words inverted?", altered="I"),
)
gapping = task(
    "rusenteval/gapping",
    _release(
        "gapping", "Is there a gap in the sentence, a verb that is left out where it would recur?"
    ),
)
conj_type = task(
    "rusenteval/conj-type",
    _release("conj_type", "Which kind of conjunction does the sentence have?"),
)
impersonal = task(
    "rusenteval/impersonal", _release("impersonal_sent", "Is the sentence impersonal?")
)
subj_gender = task(
    "rusenteval/subj-gender",
    _release("subj_gender", "Which gender has the subject of the main clause?"),
)
obj_gender = task(
    "rusenteval/obj-gender",
    _release("obj_gender", "Which gender has the direct object of the main clause?"),
)
subj_num = task(
    "rusenteval/subj-num",
    _release("subj_number", "Is the subject of the main clause singular or plural?"),
)
obj_num = task(
    "rusenteval/obj-num",
    _release("obj_number", "Is the direct object of the main clause singular or plural?"),
)
aspect = task("rusenteval/aspect", _release("predicate_aspect", "Which aspect has the main verb?"))
tense = task("rusenteval/tense", _release("predicate_tense", "Which tense has the main verb?"))
voice = task("rusenteval/voice", _release("predicate_voice", "Which voice has the main verb?"))
