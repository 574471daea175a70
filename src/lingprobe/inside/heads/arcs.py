"""Where a word's syntactic head stands, as a question that a head of attention can answer (Clark et
al. 2019, section 4.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from lingprobe.corpora.views import Tree, Word
from lingprobe.data.options import Help
from lingprobe.tasks.about import TaskDescription
from lingprobe.tasks.answers import Answer, Reason
from lingprobe.tasks.edge.family import EDGE_TREE_SUFFIXES
from lingprobe.tasks.rules import question

ARC_TASKS = {
    "arcs/*": TaskDescription(
        "a word",
        "a Universal Dependencies treebank",
        ("clark-2019-bert", "de-marneffe-2021-universal"),
    )
}


@question(
    "arcs/head",
    "How many words off is the word's syntactic head?",
    about="spans",
    files=EDGE_TREE_SUFFIXES,
    relations=True,
    metric="accuracy",
    probe="pointer",
)
def head(
    tree: Tree,
    *,
    rel: Annotated[
        str,
        Help("the relation of the words that are asked about, as nsubj, or a pattern (nsubj*)"),
    ] = "*",
    end: Annotated[
        Literal["dependent", "head"],
        Help(
            "dependent: how far off its head is; head: how far off the dependent is, asked of the"
            " head"
        ),
    ] = "dependent",
) -> Iterator[tuple[Word, Answer] | Reason]:
    """As all edge tasks. The answer is an offset, as -1 for the word before, so the best constant
    answer is the best fixed offset.
    """
    for word in tree.words:
        if word.head is None or not fnmatchcase(word.deprel, rel):
            yield Reason("words of other relations, or roots")
            continue
        one, other = (word, word.head) if end == "dependent" else (word.head, word)
        offset = f"{other.index - one.index:+d}"
        yield one, Answer(offset, strata={"relation": word.deprel})
