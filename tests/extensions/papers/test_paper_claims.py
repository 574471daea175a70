"""The claims of four papers, tested on the papers' own tables."""

from __future__ import annotations

import csv
import io
import math
import os
import re
import runpy
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import norm
from typer.testing import CliRunner

import lingprobe
from lingprobe.cli import app
from lingprobe_extensions.papers import claim_tests
from lingprobe_extensions.papers.claim_tests import (
    PAPERS_WITH_CLAIMS,
    collect_published_scores,
    judge_paper,
)
from lingprobe_extensions.papers.claims import (
    _COUNT,
    _OVER,
    _QUANTIFIERS,
    CORRELATION_RELATIONS,
    EPOCH_RELATIONS,
    UNTESTED_RELATIONS,
    PaperClaim,
    list_claim_comparisons,
    match_items,
    read_claims,
)
from lingprobe_extensions.papers.retests import list_suites

SIGNS = {
    "+": "holds",
    "-": "does not hold",
    "?": "inconclusive",
    ".": "not in a table",
    "~": "see lingprobe relate",
}
GOLDEN = """
c18-people ?? 31/32
c18-words ++ 8/10
c18-bigrams ++ 7/9
c18-bigrams-bshift ++ 1/1
c18-bigrams-somo ++ 1/1
c18-bov-chance -? 1/3
c18-bov-words ++ 8/8
c18-bov-treedepth ++ 1/1
c18-bov-nb ++ 4/4
c18-encoders-bov ++ 17/21
c18-max-last ++ 1/1
c18-max-last-downstream .
c18-only-sentlen -? 8/9
c18-last-sentlen -- 0/1
c18-last-sentlen-trained ++ 1/1
c18-convnet +? 1/1
c18-convnet-downstream .
c18-one-direction .
c18-nmt-nli +? 27/27
c18-nli-wc ++ 3/3
c18-nli-wc-others -- 0/6
c18-nli-downstream .
c18-unsupervised ++ 10/10
c18-autoencoder-sentlen +? 7/7
c18-autoencoder-wc ++ 1/1
c18-seq2tree +? 5/5
c18-seq2tree-people ?? 4/5
c18-seq2tree-nmt ?? 1/2
c18-untrained-bov ++ 1/1
c18-untrained-downstream .
c18-untrained-somo ++ 1/1
c18-untrained-modified .
c18-nmt-good ++ 27/30
c18-nmt-people ++ 12/12
c18-depth-top ++ 24/24
c18-languages +? 30/30
c18-acceptability ++ 7/7
c18-somo-architecture +? 4/4
c18-wc-rises .
c18-sentlen-falls .
c18-somo-flat .
c18-correlation-wc .
c18-correlation-sentlen .
c18-correlation-somo .
c18-correlation-entailment .
c18-correlation-number .
c18-correlation-trec .
k19-combo ?? 12/18
k19-laser ?? 17/22
k19-laser-mean +? 12/12
k19-small +? 2/2
k19-relatedness ?? 18/18
k19-wc ++ 2/2
k19-wc-small ?? 2/2
k19-mean-max ?? 57/66
k19-bert-pooled ++ 6/6
k19-wc-alike +? 1/1
k19-wc-bert ++ 2/2
k19-correlation-models + 8/8
k19-correlation-tasks ? 21/21
e18-bow-chance ?? 3/3
e18-bow-order +? 1/1
e18-bow-content +? 4/4
e18-content-chance ++ 4/4
e18-order-content2 +? 4/4
e18-order-content1 -- 0/4
e18-order-bow ++ 4/4
e18-negation ++ 3/3
e18-st-bi ++ 3/3
e18-roles-negation ++ 4/4
e18-infersent-chance +? 1/1
e18-infersent-bow ?? 1/1
e18-roles-chance ++ 3/3
e18-similar -? 6/12
t19-elmo-gpt + 1/1
t19-elmo-most ? 4/10
t19-gpt-rel + 2/2
t19-cove + 2/2
t19-lexical ? 17/18
t19-lexical-pronounced + 28/28
t19-mix-cat + 3/3
t19-bert-gpt + 1/1
t19-large + 2/2
t19-large-coref + 8/9
t19-large-lexical + 1/1
t19-large-winograd ? 1/1
t19-syntax-proto + 18/18
t19-syntax-coref + 5/5
t19-words + 4/4
t19-core + 5/5
t19-lexical-roles + 3/5
t19-spr + 2/2
t19-relations + 2/2
t19-bag .
t19-random .
t19-random-share .
t19-local .
t19-local-constituents .
t19-local-syntax .
t19-local-semantics .
t19-distance .
"""
"""The verdict on the table, that on recipes, and how many comparisons have the sign of the claim."""


@pytest.fixture(scope="module")
def verdicts():
    return {one.id: one for paper in PAPERS_WITH_CLAIMS for one in judge_paper(paper)}


def test_verdicts_on_the_papers_own_tables(verdicts):
    golden = [line.split() for line in GOLDEN.strip().splitlines()]
    assert {
        name: (one.verdict, one.recipes, f"{one.agree}/{one.compared}")
        for name, one in verdicts.items()
    } == {
        name: (SIGNS[signs[0]], SIGNS[signs[1]] if signs[1:] else "", *(agree or ["0/0"]))
        for name, signs, *agree in golden
    }


PAPERS_TEXT = {
    "conneau2018": "conneau2018",
    "ud2019": "krasnowska2019",
    "ettinger2018": "ettinger2018",
    "tenney2019": "tenney2019",
}


def letters(text: str) -> str:
    """A text without white space and hyphens, its ligatures resolved."""
    resolved = re.sub("[\ufb00-\ufb06]", lambda one: unicodedata.normalize("NFKC", one[0]), text)
    return re.sub(r"[-\u2010\u2011\u00ad\s]", "", resolved)


@pytest.mark.parametrize("paper", PAPERS_WITH_CLAIMS)
def test_every_quote_is_in_its_paper_word_for_word(paper):
    file = (
        Path(os.environ.get("LINGPROBE_DATA", ".")).parent / "papers" / f"{PAPERS_TEXT[paper]}.txt"
    )
    if not file.exists():
        pytest.skip("the papers' texts are not beside LINGPROBE_DATA")
    text = letters(file.read_text("utf-8"))
    for one in read_claims():
        if one.paper == paper:
            parts = map(re.escape, map(letters, one.quote.split("[…]")))
            assert re.search(".*?".join(parts), text), one.id


@pytest.mark.parametrize(
    ("quantifier", "words"),
    [
        ("most", r"most|largely|mostly"),
        ("almost all", r"almost all|quite consistently"),
        ("17 of 22", r"17 task-language pairs in 22"),
    ],
)
def test_a_quantifier_is_in_the_quote(quantifier, words):
    mine = [one for one in read_claims() if one.quantifier == quantifier]
    assert mine
    assert all(re.search(words, one.quote) for one in mine)


@pytest.mark.parametrize(
    ("quantifier", "n", "needed"),
    [
        ("", 1, 1),
        ("every", 7, 7),
        ("most", 10, 6),
        ("most", 5, 3),
        ("in general", 4, 3),
        ("almost all", 18, 15),
        ("almost all", 5, 4),
        ("17 of 22", 22, 17),
        ("17 of 22", 11, 9),
    ],
)
def test_how_many_comparisons_a_quantifier_needs(quantifier, n, needed):
    assert claim(quantifier=quantifier).required_count(n) == needed


def error(score: float, n: int) -> float:
    return 100 * math.sqrt(score / 100 * (1 - score / 100) / n)


@pytest.mark.parametrize(
    ("name", "first", "second", "n", "against"),
    [
        # figures typed from the papers: the difference that decides
        ("c18-bov-chance", 54.8, 50.0, 10_000, False),
        ("c18-bigrams-somo", 39.9, 50.0, 10_000, False),
        ("c18-nli-wc", 87.3, 58.3, 10_000, True),
        ("c18-untrained-somo", 73.3, 54.2, 10_000, True),
        ("k19-wc-small", 59.96, 59.79, 7_500, True),
        ("k19-wc", 63.85, 49.03, 7_500, True),
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


def test_most_by_hand(verdicts):
    """Seq2Tree above people on most of five tasks (Conneau et al., Table 2): three must be, so that
    the third p value counts, three times; people judged 200 sentences.
    """
    tree, people = (63.8, 89.6, 90.9, 95.1, 95.1), (84.0, 84.0, 85.0, 88.0, 86.5)
    p = [
        norm.sf((one - other) / math.hypot(error(one, 10_000), error(other, 200)))
        for one, other in zip(tree, people, strict=True)
    ]
    one = verdicts["c18-seq2tree-people"]
    assert one.p == pytest.approx(2 * 3 * sorted(p)[2], rel=1e-4)
    assert (one.agree, one.needed, one.compared, one.task) == (4, 3, 5, "Tense")


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
    mean = verdicts["t19-cove"]  # macro averages of the paper: 84.4 and 78.1
    assert (mean.first_score, mean.second_score) == pytest.approx((84.4, 78.1), abs=0.06)
    assert mean.high - mean.difference == pytest.approx(
        math.sqrt(2 * (7 * 0.5**2 + 2 * 1**2 + 3**2)) / 10, rel=1e-4
    )


TURNED = {"holds": "does not hold", "does not hold": "holds"}


def test_a_claim_turned_round_gets_the_other_verdict(monkeypatch, verdicts):
    """Of claims of one difference; those of several fall by any of them."""
    other = {"above": "below", "below": "above"}
    single = [c for c in read_claims() if c.relation in other and verdicts[c.id].compared == 1]
    # p values are corrected for the same claims before and after
    monkeypatch.setattr(claim_tests, "read_claims", lambda: single)
    verdicts = {one.id: one for paper in PAPERS_WITH_CLAIMS for one in judge_paper(paper)}
    turned = [replace(c, relation=other[c.relation]) for c in single]
    monkeypatch.setattr(claim_tests, "read_claims", lambda: turned)
    again = {one.id: one for paper in PAPERS_WITH_CLAIMS for one in judge_paper(paper)}
    assert len(again) >= 12
    for name, one in again.items():
        assert one.verdict == TURNED.get(verdicts[name].verdict, verdicts[name].verdict), name


def test_p_values_are_corrected_for_the_claims_of_a_paper():
    holm, bh = judge_paper("ettinger2018"), judge_paper("ettinger2018", "bh")
    assert all(a.p <= b.corrected <= a.corrected for a, b in zip(holm, bh, strict=True))
    assert any(b.corrected < a.corrected for a, b in zip(holm, bh, strict=True))
    with pytest.raises(lingprobe.UsageProblem, match="no claims of 'adi2017'"):
        judge_paper("adi2017")


def test_every_pattern_names_something_of_its_paper():
    """But for rows that a paper does not print: one direction, random weights, epochs."""
    rows = {}
    for paper in PAPERS_WITH_CLAIMS:
        table = lingprobe.suites.SUITES.make(paper).paper
        names = list(dict.fromkeys(row for row, _ in collect_published_scores(paper, table)))
        rows[paper] = (names, list_suites(paper)[1].paper.columns)
    for claim in read_claims():
        if claim.relation in UNTESTED_RELATIONS:
            continue
        names, columns = rows[claim.paper]
        tasks = {t for side in claim.sides for t in side.split("; ")}
        assert tasks <= set(columns), claim.id
        if claim.id not in ("c18-one-direction", "t19-random"):
            assert match_items(claim.first, names, str), claim.id
            assert (
                claim.level is not None
                or not claim.second
                or list_claim_comparisons(claim, names, columns, str)
            ), claim.id


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
    assert [item.name for item in match_items(side, ROWS, str)] == found


def claim(**said: object) -> PaperClaim:
    plain = {
        "paper": "conneau2018",
        "id": "x",
        "where": "4",
        "quote": "It is.",
        "claim": "It is.",
        "quantifier": "every",
        "over": "each",
        "first": "A",
        "second": "B",
        "relation": "above",
        "tasks": "WC",
        "within": 0.0,
    }
    return PaperClaim(**{**plain, "cause": "", **said})


def test_what_stands_for_a_name_is_the_same_on_both_sides():
    rows = ["max, a", "max, b", "last, a", "last, c"]
    pairs = list_claim_comparisons(claim(first="max, <t>", second="last, <t>"), rows, ["WC"], str)
    assert [(c.first, c.second) for [[[c]]] in pairs] == [("max, a", "last, a")]
    among = list_claim_comparisons(claim(first="max, *", second="max, *"), rows, ["WC"], str)
    assert [(c.first, c.second) for [[[c]]] in among] == [("max, a", "max, b")]
    between = claim(first="max, *", second="max, *", tasks="WC / Tense")
    found = list_claim_comparisons(between, rows, ["WC", "Tense"], str)
    assert [(c.first, c.second, c.tasks) for [[[c]]] in found] == [
        ("max, a", "max, a", ("WC", "Tense")),
        ("max, b", "max, b", ("WC", "Tense")),
    ]


@pytest.mark.parametrize(("over", "groups"), [("each", 4), ("rows", 2), ("tasks", 2), ("mean", 1)])
def test_what_is_averaged(over, groups):
    some = claim(first="A; C", tasks="WC; Tense", over=over)
    assert len(list_claim_comparisons(some, ["A", "B", "C"], ["WC", "Tense"], str)) == groups


def test_the_best_is_one_of_several_above_all_others():
    """By task and by what stands for a name."""
    rows = ["en, A1", "en, A2", "en, B", "en, C", "pl, A1", "pl, B"]
    some = claim(first="<l>, A*", second="<l>, *; !*, A*", tasks="WC; Tense", over="best")
    found = list_claim_comparisons(some, rows, ["WC", "Tense"], str)
    names = [[[[(c.first, c.second) for c in g] for g in a] for a in one] for one in found]
    english = [[[("en, A1", "en, B")], [("en, A1", "en, C")]]]
    english += [[[("en, A2", "en, B")], [("en, A2", "en, C")]]]
    polish = [[[("pl, A1", "pl, B")]]]
    assert names == [english, english, polish, polish]


def test_a_score_on_both_sides_counts_with_both_weights():
    """(A - B) - (B - C) has the variance of A + C and four times that of B."""
    gain = claim(first="A minus B", second="B minus C")
    [[[[one]]]] = list_claim_comparisons(gain, ["A", "B", "C"], ["WC"], str)
    assert one.terms == ((1.0, "A", "WC"), (-2.0, "B", "WC"), (1.0, "C", "WC"))


def test_seventeen_of_twenty_two_are_counted_as_the_paper_counts_them(verdicts):
    """Krasnowska-Kieraś & Wróblewska 2019, section 5: LASER, without COMBO."""
    one = verdicts["k19-laser"]
    assert (one.compared, one.needed, one.agree) == (22, 17, 17)


def test_variation_between_trainings_is_in_each_row_but_baselines_and_people():
    table = lingprobe.suites.SUITES.make("conneau2018").paper
    plain, wide = (
        collect_published_scores("conneau2018", table),
        collect_published_scores("conneau2018", table, 1.5),
    )
    changed = {row for row, task in plain if plain[row, task].error != wide[row, task].error}
    kept = {"Majority vote", "Hum. Eval.", "Length", "NB-uni-tfidf", "NB-bi-tfidf"}
    assert changed == {row for row, _ in plain} - kept
    before, after = (cells["BiLSTM-max, NLI", "WC"].error for cells in (plain, wide))
    assert after == pytest.approx(math.sqrt(before**2 + 1.5**2))


def test_every_claim_is_written_as_the_page_says():
    assert len({one.id for one in read_claims()}) == len(read_claims())
    for one in read_claims():
        assert all((one.paper, one.id, one.where, one.quote, one.claim)), one
        assert one.quantifier in ("", *_QUANTIFIERS) or _COUNT.fullmatch(one.quantifier), one
        if one.relation in UNTESTED_RELATIONS and one.relation not in CORRELATION_RELATIONS:
            assert not any((one.first, one.second, one.tasks, one.over, one.within)), one
        else:
            assert one.first, one
            assert one.over in _OVER, one
            assert one.direction != "alike" or one.within, one
            assert (one.relation in EPOCH_RELATIONS) == (not one.second), one
            assert one.quantifier or one.over == "mean", one


def test_a_file_without_its_head_is_refused(tmp_path: Path):
    file = tmp_path / "claims.tsv"
    file.write_text("conneau2018\tx\t4\tIt is.\n", "utf-8")
    with pytest.raises(lingprobe.DataProblem, match="the first line names the columns paper, id"):
        read_claims(file)


def test_the_page_and_its_csv_have_the_verdicts_as_they_are():
    docs = Path(__file__).parents[3] / "docs"
    writer = runpy.run_path(str(docs / "write_claims.py"))
    file = (docs / "results" / "claims.csv").read_text("utf-8")
    assert writer["text"]() == file, "run `make docs`"
    assert {row["claim"] for row in csv.DictReader(io.StringIO(file))} == {
        c.claim for c in read_claims()
    }
    text = (docs / "suites.md").read_text("utf-8")
    assert writer["page"](text, file) == text, "run `make docs`"
    assert f"keeps {len(read_claims())} claims" in text
    assert all(f"| `{paper}` |" in text for paper in {one.paper for one in read_claims()})


def test_the_command_shows_verdicts_scores_and_causes():
    def shown(*arguments: str) -> str:
        done = CliRunner().invoke(app, ["results", "claims", *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    text = shown("--published", "ettinger2018")
    assert "holds: 10" in text
    assert "Negation: ST-BI 74.7, ST-UNI 96.6" in text
    assert "not tested" not in text
    everything = shown("--published", "ettinger2018", "--all")
    everything = re.sub(r"\s+", " ", everything)
    assert "Suggested cause, not tested: half the dimensions" in everything
    assert "The paper: “Interestingly, ST-BI shows markedly weaker" in everything
    lines = csv.DictReader(io.StringIO(shown("--published", "ud2019", "--format", "csv")))
    rows = {line["id"]: line for line in lines}
    assert rows["k19-wc"]["recipes"] == "holds"
    assert float(rows["k19-wc"]["first_score"]) == 63.85
    for style in ("markdown", "latex", "html"):
        assert "BERT" in shown("--published", "tenney2019", "--format", style)
