"""The claims of four papers, tested on the papers' own tables."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import norm
from typer.testing import CliRunner

import lingprobe
from lingprobe.cli import app
from lingprobe.papers import claimed
from lingprobe.papers.claimed import PAPERS, cells_of, published
from lingprobe.papers.claims import FILE, Claim, claims, contrasts, items

SIGNS = {
    "+": "holds",
    "-": "does not hold",
    "?": "inconclusive",
    ".": "not in a table",
}
GOLDEN = """
c18-people ?
c18-bigrams -
c18-bigrams-bshift +
c18-bigrams-somo +
c18-bov-chance -
c18-bov-words +
c18-bov-treedepth +
c18-encoders-bov -
c18-max-last +
c18-only-sentlen -
c18-last-sentlen -
c18-last-sentlen-trained +
c18-convnet +
c18-one-direction .
c18-nmt-nli +
c18-nli-wc +
c18-nli-wc-others -
c18-unsupervised ?
c18-autoencoder-sentlen +
c18-autoencoder-wc +
c18-seq2tree-syntax +
c18-seq2tree-number +
c18-seq2tree-tense ?
c18-seq2tree-people ?
c18-seq2tree-nmt ?
c18-untrained-bov +
c18-untrained-somo +
c18-untrained-bshift +
c18-nmt-untrained +
c18-seq2tree-untrained +
c18-nmt-people +
c18-depth-top +
c18-languages ?
c18-languages-others -
c18-acceptability -
c18-somo-architecture +
c18-wc-rises .
c18-sentlen-falls .
c18-somo-flat .
k19-combo-en -
k19-laser-en ?
k19-laser-entailment-en ?
k19-use-relatedness ?
k19-wc-en ?
k19-mean-max-en +
k19-mean-max-each-en ?
k19-bert-pooled-en +
k19-combo-pl ?
k19-laser-pl ?
k19-laser-downstream-pl ?
k19-wc-pl +
k19-mean-max-pl +
k19-mean-max-each-pl ?
k19-bert-pooled-pl +
k19-wc-orig +
k19-small-pl +
k19-wc-alike +
k19-wc-bert +
e18-bow-chance ?
e18-bow-order +
e18-bow-content +
e18-content-chance +
e18-order-content2 +
e18-order-content1 -
e18-order-bow +
e18-negation +
e18-st-bi +
e18-st-bi-others +
e18-infersent-chance +
e18-infersent-bow ?
e18-roles-chance +
e18-roles-negation +
e18-similar -
t19-elmo-gpt +
t19-elmo-most ?
t19-gpt-rel +
t19-cove +
t19-lexical ?
t19-mix-cat +
t19-bert-gpt +
t19-large-base +
t19-large-elmo +
t19-large-coref +
t19-large-winograd ?
t19-context ?
t19-syntax-proto +
t19-largest -
t19-syntax-coref +
t19-words +
t19-core +
t19-lexical-roles +
t19-lexical-roles-others -
t19-relations +
t19-random .
"""


@pytest.fixture(scope="module")
def verdicts():
    return {one.id: one for paper in PAPERS for one in published(paper)}


def test_verdicts_on_the_papers_own_tables(verdicts):
    wanted = dict(line.split() for line in GOLDEN.strip().splitlines())
    assert {name: one.verdict for name, one in verdicts.items()} == {
        name: SIGNS[sign] for name, sign in wanted.items()
    }


def error(score: float, n: int) -> float:
    return 100 * math.sqrt(score / 100 * (1 - score / 100) / n)


@pytest.mark.parametrize(
    ("name", "first", "second", "n", "against"),
    [
        # figures typed from the papers: the difference that decides
        ("c18-bov-chance", 54.8, 50.0, 10_000, False),
        ("c18-bigrams", 53.0, 41.9, 10_000, True),
        ("c18-bigrams-somo", 39.9, 50.0, 10_000, False),
        ("c18-nli-wc", 87.3, 58.3, 10_000, True),
        ("c18-nli-wc-others", 29.2, 51.5, 10_000, True),
        ("c18-seq2tree-tense", 90.9, 90.5, 10_000, True),
        ("c18-seq2tree-syntax", 89.6, 82.5, 10_000, True),
        ("c18-last-sentlen", 73.3, 36.7, 10_000, True),
        ("c18-acceptability", 62.1, 73.3, 10_000, True),
        ("c18-untrained-bshift", 70.6, 50.8, 10_000, True),
        ("k19-laser-en", 97.84, 97.76, 7_500, True),
        ("k19-wc-en", 59.96, 59.79, 7_500, True),
        ("k19-combo-en", 96.04, 97.84, 7_500, True),
        ("e18-st-bi", 74.7, 96.6, 1_000, True),
        ("e18-infersent-bow", 50.1, 51.3, 1_000, True),
        ("e18-bow-order", 55.0, 50.0, 1_000, False),
    ],
)
def test_by_hand(verdicts, name, first, second, n, against):
    """Scores are those that the paper prints; `against` another score, or a number."""
    one = verdicts[name]
    assert (one.first_score, one.second_score) == pytest.approx((first, second))
    both = (first, second) if against else (first,)
    spread = math.sqrt(sum(error(score, n) ** 2 for score in both))
    assert one.low == pytest.approx(first - second - 1.959964 * spread, abs=1e-4)
    assert one.n == n
    z = abs(first - second) / spread
    if one.compared == 1 and one.relation != "alike":
        assert one.p == pytest.approx(2 * norm.sf(z), rel=1e-4)
    if one.verdict == "inconclusive" and one.relation != "alike":
        assert z < 3
    elif one.relation != "alike":
        assert z > 2
        right = (first > second) == (one.relation == "above")
        assert (one.verdict == "holds") == right


def test_means_by_hand(verdicts):
    """Of BiLSTM-last and BiLSTM-max over eight trainings on TopConst (Conneau et al., Table 2)."""
    last = [76.3, 78.2, 81.6, 81.8, 81.3, 89.4, 75.4, 70.5]
    most = [71.8, 74.9, 81.9, 82.2, 82.5, 89.6, 72.5, 70.5]
    one = verdicts["c18-only-sentlen"]
    assert one.task == "TopConst"
    assert one.difference == pytest.approx((sum(most) - sum(last)) / 8)
    spread = math.sqrt(sum(error(s, 10_000) ** 2 for s in (*last, *most))) / 8
    assert one.high - one.low == pytest.approx(2 * 1.959964 * spread, rel=1e-4)
    assert one.verdict == "does not hold"


def test_tenney_by_hand(verdicts):
    """Differences of gains; the caption has ± 0.5 for most tasks, ± 3 for Winograd."""
    one = verdicts["t19-syntax-proto"]
    assert one.first_score == pytest.approx(83.6 - 75.0)
    assert one.second_score == pytest.approx(54.3 - 52.1)
    assert one.high - one.difference == pytest.approx(math.sqrt(2 * 0.5**2 + 2 * 3**2), rel=1e-4)
    mean = verdicts["t19-large-elmo"]  # macro averages of the paper: 87.3 and 84.4
    assert (mean.first_score, mean.second_score) == pytest.approx((87.3, 84.4), abs=0.06)
    assert mean.high - mean.difference == pytest.approx(
        math.sqrt(2 * (7 * 0.5**2 + 2 * 1**2) + 3**2 + 6**2) / 10, rel=1e-4
    )


TURNED = {"holds": "does not hold", "does not hold": "holds"}


def test_a_claim_turned_round_gets_the_other_verdict(monkeypatch, verdicts):
    """Of claims of one difference; those of several fall by any of them."""
    other = {"above": "below", "below": "above"}
    single = [c for c in claims() if c.relation in other and verdicts[c.id].compared == 1]
    # p values are corrected for the same claims before and after
    monkeypatch.setattr(claimed, "claims", lambda: single)
    verdicts = {one.id: one for paper in PAPERS for one in published(paper)}
    turned = [replace(c, relation=other[c.relation]) for c in single]
    monkeypatch.setattr(claimed, "claims", lambda: turned)
    again = {one.id: one for paper in PAPERS for one in published(paper)}
    assert len(again) >= 15
    for name, one in again.items():
        assert one.verdict == TURNED.get(verdicts[name].verdict, verdicts[name].verdict), name


def test_p_values_are_corrected_for_the_claims_of_a_paper():
    holm, bh = published("ettinger2018"), published("ettinger2018", "bh")
    assert all(a.p <= b.corrected <= a.corrected for a, b in zip(holm, bh, strict=True))
    assert any(b.corrected < a.corrected for a, b in zip(holm, bh, strict=True))
    with pytest.raises(lingprobe.UsageProblem, match="no claims of 'adi2017'"):
        published("adi2017")


def test_every_pattern_names_something_of_its_paper():
    """But for rows that a paper does not print: one direction, random weights, epochs."""
    rows = {}
    for paper in PAPERS:
        table = lingprobe.papers.SUITES.make(paper).paper
        rows[paper] = (list(dict.fromkeys(r for r, _ in cells_of(paper, table))), table.columns)
    for claim in claims():
        names, columns = rows[claim.paper]
        tasks = {t for side in claim.sides for t in side.split("; ")}
        assert tasks <= set(columns), claim.id
        if claim.id not in ("c18-one-direction", "t19-random"):
            assert items(claim.first, names, str), claim.id
            assert (
                claim.level is not None or not claim.second or contrasts(claim, names, columns, str)
            ), claim.id
    assert len(claims()) == 94


ROWS = ["BiLSTM-max, NMT En-Fr", "BiLSTM-max, NMT En-De", "BiLSTM-max, NLI", "BiLSTM-last, NLI"]


@pytest.mark.parametrize(
    ("side", "found"),
    [
        ("BiLSTM-max, *", ROWS[:3]),
        ("BiLSTM-max, *; !BiLSTM-max, NMT*", ROWS[2:3]),
        ("<net>, NLI", ROWS[2:]),
        ("BiLSTM-max, NLI minus BiLSTM-last, NLI", ["BiLSTM-max, NLI minus BiLSTM-last, NLI"]),
        ("<net>, NLI minus <net>, NMT En-Fr", ["BiLSTM-max, NLI minus BiLSTM-max, NMT En-Fr"]),
        ("BoV", []),
    ],
)
def test_sides(side, found):
    assert [item.name for item in items(side, ROWS, str)] == found


def claim(**said: object) -> Claim:
    plain = {
        "paper": "conneau2018",
        "id": "x",
        "where": "4",
        "claim": "It is.",
        "over": "each",
        "first": "A",
        "second": "B",
        "relation": "above",
        "tasks": "WC",
        "within": 0.0,
    }
    return Claim(**{**plain, "cause": "", **said})


def test_what_stands_for_a_name_is_the_same_on_both_sides():
    rows = ["max, a", "max, b", "last, a", "last, c"]
    pairs = contrasts(claim(first="max, <t>", second="last, <t>"), rows, ["WC"], str)
    assert [(c.first, c.second) for (c,) in pairs.values()] == [("max, a", "last, a")]
    among = contrasts(claim(first="max, *", second="max, *"), rows, ["WC"], str)
    assert [(c.first, c.second) for (c,) in among.values()] == [("max, a", "max, b")]
    between = claim(first="max, *", second="max, *", tasks="WC / Tense")
    found = contrasts(between, rows, ["WC", "Tense"], str)
    assert [(c.first, c.second, c.tasks) for (c,) in found.values()] == [
        ("max, a", "max, a", ("WC", "Tense")),
        ("max, b", "max, b", ("WC", "Tense")),
    ]


@pytest.mark.parametrize(("over", "groups"), [("each", 4), ("rows", 2), ("tasks", 2), ("mean", 1)])
def test_what_is_averaged(over, groups):
    some = claim(first="A; C", tasks="WC; Tense", over=over)
    assert len(contrasts(some, ["A", "B", "C"], ["WC", "Tense"], str)) == groups


HEAD = FILE.read_text("utf-8").splitlines()[1]
GOOD = "conneau2018\tx\t4\tIt is.\tA\tabove\tB\tWC\teach\t\t"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("conneau2018\tx", r"2: 2 cells, not 11"),
        (GOOD.replace("above", "over"), "no relation 'over': choose one of above"),
        (GOOD.replace("each", "all"), "no over 'all': choose one of each"),
        (GOOD.replace("each\t", "each\tabout 3"), "within is 'about 3': write a number"),
        (GOOD.replace("above", "alike"), "alike and flat need a number in within"),
        (GOOD.replace("each\t", "each\t3"), "alike and flat need a number in within"),
        (GOOD.replace("\tA\t", "\t\t"), "first is empty"),
        (GOOD.replace("\tB\t", "\t\t"), "second is for rows or a number"),
        (GOOD.replace("above", "rises"), "second is for rows or a number"),
        (f"{GOOD}\n{GOOD}", r"3: x is there twice"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, why):
    file = tmp_path / "claims.tsv"
    file.write_text(f"{HEAD}\n{line}\n", "utf-8")
    with pytest.raises(lingprobe.DataProblem, match=why):
        claims(file)


def test_a_file_without_its_head_is_refused(tmp_path: Path):
    file = tmp_path / "claims.tsv"
    file.write_text(f"{GOOD}\n", "utf-8")
    with pytest.raises(lingprobe.DataProblem, match="the first line names the columns paper, id"):
        claims(file)


def test_the_command_shows_verdicts_scores_and_causes():
    def shown(*arguments: str) -> str:
        done = CliRunner().invoke(app, ["claims", *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    text = shown("--published", "ettinger2018")
    assert "holds: 11" in text
    assert "Negation: ST-BI 74.7, ST-UNI 96.6" in text
    assert "not tested" not in text
    everything = shown("--published", "ettinger2018", "--all")
    assert "Suggested cause, not tested: half the dimensions" in re.sub(r"\s+", " ", everything)
    lines = csv.DictReader(io.StringIO(shown("--published", "ud2019", "--format", "csv")))
    rows = {line["id"]: line for line in lines}
    assert rows["k19-wc-orig"]["verdict"] == "holds"
    assert float(rows["k19-wc-orig"]["first_score"]) == 79.23
    for style in ("markdown", "latex", "html"):
        assert "BERT" in shown("--published", "tenney2019", "--format", style)
