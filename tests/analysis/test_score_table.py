"""Tables of scores: what rows and columns are kept, joined and called; joins against plain loops
over drawn sources.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from lingprobe.analysis.score_table import (
    EncoderName,
    MeasuredTask,
    ScoreCell,
    by_pattern,
    derive_encoder_name,
    join_scores,
    select_columns,
    strip_model_owner,
    with_families,
)
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from reference import score_tables

ROWS = [
    EncoderName("st:a", "a", "a"),
    EncoderName("hf:org/a", "org/a", "a"),
    EncoderName("org/a", "org/a", "a"),
    EncoderName("a@1", "ones", "a"),
    EncoderName("b", "b", "b"),
    EncoderName("hf:b", "B", "b"),
    EncoderName("rest", "rest"),
    EncoderName("other", "other"),
]
COLUMNS = [
    [MeasuredTask(f"{source}{k}", source, f"{source}{k}") for k in range(2)] for source in "xyz"
]


def drawn(seed):
    """Three sources, each with scores of some rows in some of its columns."""
    draws = np.random.default_rng(seed)
    return [
        [
            (ROWS[i], columns[j], float(draws.integers(100)))
            for i in draws.permutation(len(ROWS))[: draws.integers(6)]
            for j in draws.permutation(2)[: draws.integers(1, 3)]
        ]
        for columns in COLUMNS
    ]


@pytest.mark.parametrize("seed", range(40))
def test_sources_are_joined_by_name_and_by_the_only_row_of_a_model(seed):
    several = drawn(seed)
    found = join_scores(
        [[ScoreCell(*each, each[2] / 2) for each in scores] for scores in several], ["r"]
    )
    rows, cells = score_tables.joined(several)
    assert [row[:2] for row in found.rows] == rows
    assert len(set(found.columns)) == len(found.columns)
    assert set(found.columns) == {column for _, column in cells}
    expected = [[cells.get((n, c), math.nan) for c in found.columns] for n, _ in rows]
    whole = np.reshape(expected, found.scores.shape)
    np.testing.assert_array_equal(found.scores, whole)
    np.testing.assert_array_equal(found.noise, whole / 2)
    assert found.remarks == ("r",)


def test_two_scores_of_a_row_in_a_column_are_refused():
    column = MeasuredTask("t", "a.csv", "t")
    twice = [ScoreCell(EncoderName("b", "b"), column, value) for value in (1.0, 2.0)]
    with pytest.raises(DataProblem, match=r"a\.csv: b has two scores of t"):
        join_scores([twice])
    assert join_scores(
        [twice[:1], [twice[1]._replace(column=column._replace(source="x"))]]
    ).rows == (EncoderName("b", "b"),)


@pytest.fixture
def table():
    """Four encoders by three columns, with remarks."""
    names = ["hf:m,pool=cls", "hf:m,pool=mean", "bow:random", "n"]
    rows = [EncoderName(name, family) for name, family in zip(names, "mmrn", strict=True)]
    columns = [MeasuredTask(f"t{j}", f"s{j % 2}", f"ud/t{j}") for j in range(3)]
    return join_scores(
        [[ScoreCell(row, column, 10.0 * i + j, i - j) for i, row in enumerate(rows)
          for j, column in enumerate(columns)]],
        ["seen"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("patterns", "kept"),
    [
        (["hf:m,*"], [0, 1]),  # by name,
        (["hf", "n"], [0, 1, 3]),  # kind,
        (["r"], [2]),  # and family
        (["m", "bow"], [0, 1, 2]),
    ],
)
def test_rows_are_chosen_by_name_kind_and_family(table, patterns, kept):
    found = table.chosen_rows(patterns)
    assert found.rows == tuple(table.rows[i] for i in kept)
    assert found.columns == table.columns
    np.testing.assert_array_equal(found.scores, table.scores[kept])
    np.testing.assert_array_equal(found.noise, table.noise[kept])
    assert found.remarks == ("seen",)


def test_patterns_that_no_row_has_are_refused(table):
    with pytest.raises(UsageProblem, match="no encoder is called x, y: there are hf:m,pool=cls, "):
        table.chosen_rows(["x", "y"])


def test_rows_and_columns_keep_their_scores_and_add_remarks(table):
    some, less = table.with_rows([3, 0], "few", "rows"), table.with_columns([2, 0], "less")
    assert [row.name for row in some.rows] == ["n", "hf:m,pool=cls"]
    assert [column.name for column in less.columns] == ["t2", "t0"]
    assert (some.remarks, less.remarks) == (("seen", "few", "rows"), ("seen", "less"))
    for grid in ("scores", "noise"):
        whole = getattr(table, grid)
        np.testing.assert_array_equal(getattr(some, grid), whole[[3, 0]])
        np.testing.assert_array_equal(getattr(less, grid), whole[:, [2, 0]])
    assert table.families == ("m", "r", "n")


@pytest.mark.parametrize(
    ("patterns", "found"), [(["t1"], [1]), (["ud/t[02]"], [0, 2]), (["s0", "t1"], [0, 1, 2])]
)
def test_columns_are_chosen_by_name_task_and_source(table, patterns, found):
    assert select_columns(table.columns, patterns, "rows") == found
    with pytest.raises(UsageProblem, match="no column for rows x: there are t0, t1, t2"):
        select_columns(table.columns, ["x"], "rows")


def test_families_are_what_a_pattern_matches(table):
    families = by_pattern(r"hf:(\w)(,pool=c)?|bow")
    assert [families(row.name) for row in table.rows] == ["m, ,pool=c", "m", "bow", None]
    found = with_families(table, families)
    assert [row.family for row in found.rows] == ["m, ,pool=c", "m", "bow", "n"]
    assert [row.name for row in found.rows] == [row.name for row in table.rows]
    assert found.scores is table.scores
    with pytest.raises(UsageProblem, match="not a regular expression"):
        by_pattern("(")


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("all-MiniLM-L6-v2", "all-minilm-l6-v2"),
        ("org/Model", "model"),
        ("org__Model", "model"),
        ("/models/Mine/", "mine"),
    ],
)
def test_a_bare_name_is_without_its_maker_and_in_small_letters(reference, name):
    assert strip_model_owner(reference) == name


@pytest.mark.parametrize(
    ("encoder", "family", "model"),
    [
        ("hf:org/M@main,pool=cls", "org/M", "m"),
        ("st:org/M", "org/M", "m"),
        ("hf:org/M,pool=cls,weights=random", "hf:org/M,weights=random", ""),
        ("bow:random,dim=4", "bow:random", ""),
        ("static:x,vectors=shuffled,dim=4", "static:x,vectors=shuffled", ""),
        ("length", "length", ""),
        ("org/M, a note", "org/M, a note", "m, a note"),  # no reference
    ],
)
def test_the_family_of_an_encoder_is_its_model_or_what_it_has_learnt(encoder, family, model):
    assert derive_encoder_name(encoder, ", layer 3") == EncoderName(
        f"{encoder}, layer 3", family, model
    )
