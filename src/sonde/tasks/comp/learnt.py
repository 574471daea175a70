"""Shallow rules that are learnt: a tree of three questions, the best two questions, and a linear
rule.

All see features of examples (`shallow.features`) and how much of each has the answer no and yes [n,
2]. A tree is grown as trees usually are, one question at a time, by the purity of what it leaves
(Breiman et al. 1984, Gini). Where single questions are balanced, as in sets of ours, that hardly
finds a start, so the best two are found by trying all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sonde.tasks.comp.shallow import Features, Flags
from sonde.vectors import Floats, Ints

DEPTH = 3
RIDGE = 1e-3  # of the linear rule, relative to the examples' weight


class Tree(NamedTuple):
    """A question, and what is asked (or answered) where it holds and where not."""

    question: int
    holds: Tree | bool
    fails: Tree | bool

    def leaves(self, holds: Flags) -> Ints:
        """The leaf that each example comes to [n]."""
        leaves = np.zeros(len(holds), np.int64)
        for side, (rows, then) in enumerate(
            ((holds[:, self.question], self.holds), (~holds[:, self.question], self.fails))
        ):
            leaves[rows] = 2 * (then.leaves(holds[rows]) if isinstance(then, Tree) else 0) + side
        return np.unique(leaves, return_inverse=True)[1].ravel().astype(np.int64)

    def says(self, holds: Flags) -> Flags:
        """What it answers [n]."""
        answers = np.zeros(len(holds), bool)
        for rows, then in (
            (holds[:, self.question], self.holds),
            (~holds[:, self.question], self.fails),
        ):
            answers[rows] = then.says(holds[rows]) if isinstance(then, Tree) else then
        return answers

    def text(self, names: Sequence[str]) -> str:
        """The tree in words, as 'x ? (y ? yes : no) : no'."""
        sides = (
            then.text(names) if isinstance(then, Tree) else ("yes" if then else "no")
            for then in (self.holds, self.fails)
        )
        first, second = (f"({side})" if "?" in side else side for side in sides)
        return f"{names[self.question]} ? {first} : {second}"


def tree(table: Features, weights: Floats, depth: int = DEPTH) -> Tree | bool:
    """A tree of so many questions at most, or the answer itself where none is left to ask."""
    return _grown(table.holds.astype(np.float32), np.asarray(weights, np.float32), depth)


def _grown(holds: Floats, weights: Floats, depth: int) -> Tree | bool:
    every = weights.sum(0)
    answer = bool(every[1] >= every[0])
    if not depth or not every.min() or not holds.shape[1]:
        return answer
    inside = weights.T @ holds
    best = int((_purity(inside) + _purity(every[:, None] - inside)).argmax())
    rows = holds[:, best] > 0
    if rows.all() or not rows.any():
        return answer
    return _pruned(
        Tree(best, *(_grown(holds[part], weights[part], depth - 1) for part in (rows, ~rows)))
    )


def _purity(weights: Floats) -> Floats:
    """How pure parts with such weights [2, parts] are, as Gini's index has it; larger is purer."""
    purity: Floats = (weights**2).sum(0) / np.maximum(weights.sum(0), 1e-12)
    return purity


def _pruned(grown: Tree) -> Tree | bool:
    return grown.holds if isinstance(grown.holds, bool) and grown.holds == grown.fails else grown


def two_questions(table: Features, weights: Floats) -> Tree | bool:
    """The best tree of two questions in a row: all first ones with all second ones are tried."""
    holds, total = (
        table.holds.astype(np.float32),
        np.asarray(weights[:, 1] - weights[:, 0], np.float32),
    )
    if not holds.shape[1]:
        return bool(total.sum() >= 0)
    both = holds.T @ (holds * total[:, None])
    alone, everything = np.diag(both), total.sum()
    only = alone[None, :] - both  # where the second holds and the first does not
    holding = np.abs(both) + np.abs(alone[:, None] - both)
    failing = np.abs(only) + np.abs(everything - alone[:, None] - only)
    best = int((holding.max(1) + failing.max(1)).argmax())
    sides = [
        (int(rest[best].argmax()), inside) for rest, inside in ((holding, True), (failing, False))
    ]
    then = []
    for question, inside in sides:
        rows = (holds[:, best] > 0) == inside
        there = holds[rows, question] > 0
        then.append(
            _pruned(
                Tree(question, *(bool(total[rows][part].sum() >= 0) for part in (there, ~there)))
            )
        )
    return Tree(best, *then)


@dataclass(frozen=True)
class Linear:
    """A weight for each question; yes where their sum is positive."""

    weights: Floats
    constant: float

    def says(self, holds: Flags) -> Flags:
        """What it answers [n]."""
        return holds.astype(np.float32) @ self.weights + self.constant > 0


def linear(table: Features, weights: Floats) -> Linear:
    """The linear rule of least squares, with a small ridge."""
    holds = np.column_stack([table.holds, np.ones(len(table.holds))]).astype(np.float64)
    size = weights.sum(1)
    bend = (holds * size[:, None]).T @ holds + RIDGE * size.sum() * np.eye(holds.shape[1])
    solved = np.linalg.solve(bend, holds.T @ (weights[:, 1] - weights[:, 0]))
    return Linear(solved[:-1].astype(np.float32), float(solved[-1]))


class LearntRule(NamedTuple):
    """A learnt rule: its name, what it says of examples by their features [n, features], and how it
    goes in words, '' for linear ones.
    """

    name: str
    says: Callable[[Flags], Flags]
    text: str


def learnt_rules(table: Features, yes: Flags) -> list[LearntRule]:
    """The rules that are learnt from some examples, each as heavy as any other; the first two do
    not see what stands between.
    """
    weights: Floats = np.stack([~yes, yes], 1).astype(np.float32) / np.float32(max(1, len(yes)))
    apart = np.flatnonzero(table.apart)
    shallow = Features(table.holds[:, apart], tuple(table.names[i] for i in apart))
    rules = [
        _of("linear rule", linear(shallow, weights), shallow.names, apart),
        _of("tree of three questions", tree(shallow, weights), shallow.names, apart),
    ]
    every = np.arange(len(table.names))
    if len(apart) < len(every):
        rules.append(
            _of(
                "tree of three questions, also about what is between",
                tree(table, weights),
                table.names,
                every,
            )
        )
    return [
        *rules,
        _of("the best two questions", two_questions(table, weights), table.names, every),
    ]


def _of(name: str, rule: Linear | Tree | bool, names: Sequence[str], columns: Ints) -> LearntRule:
    if isinstance(rule, bool):
        return LearntRule(name, lambda holds: np.full(len(holds), rule), "yes" if rule else "no")
    says = rule.says
    return LearntRule(
        name,
        lambda holds: says(holds[:, columns]),
        rule.text(names) if isinstance(rule, Tree) else "",
    )
