"""The five composition tasks of Ettinger et al. 2018 (sections 6 and 7) as their authors released them, under the paper's names.

A folder a task, `train.txt` and `test.txt` in it, no dev split: TRUE or FALSE, the sentence's id, its words, the lemmas asked about.
docs/tasks-comp.md says what is in the files, and what can be answered without composing anything.
"""

from __future__ import annotations

from sonde.sources.columns import COMPEVAL_PAIR, COMPEVAL_VERB, Layout
from sonde.tasks.released import Release, task

PROBE = "mlp,protocol=ettinger"


def _release(file: str, paper: str, asks: str, layout: Layout) -> Release:
    return Release(asks, (file, paper), layout, probe=PROBE, view="mean+asked")


content1 = task("comp/released/content1", _release("cont1", "content1", "Does the asked verb occur in the sentence?", COMPEVAL_VERB))
content2 = task(
    "comp/released/content2",
    _release("cont2", "content2", "Do both the asked noun and the asked verb occur in the sentence?", COMPEVAL_PAIR),
)
order = task("comp/released/order", _release("order", "order", "Does the asked noun come before the asked verb?", COMPEVAL_PAIR))
sem_role = task("comp/released/sem-role", _release("sr", "sem-role", "Is the asked noun the agent of the asked verb?", COMPEVAL_PAIR))
negation = task(
    "comp/released/negation", _release("neg", "negation", "Does what the asked verb says happen, or is it negated?", COMPEVAL_VERB)
)
