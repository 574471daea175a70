"""Claims of papers, tested on results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Unpack

from lingprobe.api.arguments import as_list, keywords
from lingprobe.api.listing import contents_of
from lingprobe.api.results import Results, Selection, stored_results
from lingprobe.data.checks import check_choice
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import parsed_or_none
from lingprobe.pages.selection import asked_for
from lingprobe.tables.page import Page
from lingprobe_extensions.papers.claim_tests import PAPERS, TestedClaim
from lingprobe_extensions.papers.claim_tests import judge_paper as published_claims
from lingprobe_extensions.papers.pages import claims_page, published_page
from lingprobe_extensions.papers.retests import names_of, retest_claims


@keywords(Selection)
def claims(
    results: Results = None,
    *,
    papers: Sequence[str] | str = (),
    named: Mapping[str, str] | None = None,
    published: Literal["conneau2018", "ud2019", "ettinger2018", "tenney2019"] | None = None,
    correction: Literal["holm", "bh"] = "holm",
    every: bool = False,
    **selection: Unpack[Selection],
) -> Page[tuple[TestedClaim, ...]]:
    """Tests claims of papers on results, as `lingprobe claims` does: each is reproduced, not
    reproduced, or inconclusive.

    results     an evaluation, results, or a folder (default: the last run)
    papers      whose claims: 'conneau2018', 'ud2019', 'ettinger2018' or 'tenney2019' (default: all)
    named       the row of a paper's table that each encoder corresponds to, by name or pattern
                ({'trained:models/fr': 'NMT En-Fr BiLSTM-max'}), if it does not follow from the
                encoder's name or training
    published   test a paper's claims on its own table, not on results
    correction  the correction of the p values of all claims: 'holm', or 'bh' (Benjamini-Hochberg)
    every       also show claims that could not be tested, and the causes that papers suggest,
                which are not tested
    selection   the fields of `Selection`
    DataProblem if no claim can be tested, unless all are shown; UsageProblem for an unknown paper
    or row. `.content` has a `TestedClaim` for each claim on each kind of data.

        print(lingprobe.claims(published="conneau2018"))
        print(lingprobe.claims("results/", named={"st:mine": "BiLSTM-max, NLI"}))
    """
    asked = as_list(papers) or list(PAPERS)
    for paper in asked:
        check_choice("claims of", paper, PAPERS)
    if published is not None:
        if results is not None or named or as_list(papers):
            raise UsageProblem(
                "published= tests a paper's own table: leave out results, papers and named rows"
            )
        return published_page(published_claims(published, correction), every, correction)
    known = stored_results(results, selection)
    rows = _rows_by_encoder(named or {}, known.results)
    found, settings = retest_claims(known.results, asked, rows, correction)
    if not every and all(one.n == 0 for one in found):
        raise DataProblem(_nothing(found))
    return claims_page(found, settings, every, correction).with_remarks(known.remarks)


def _rows_by_encoder(named: Mapping[str, str], results: Sequence[Result]) -> dict[str, list[str]]:
    """The rows that encoders were said to stand for, by their reference; those of a training at all
    its epochs.
    """
    plain = {r.trial.encoder: _without_epoch(r.trial.encoder) for r in results}
    rows: dict[str, list[str]] = {}
    for pattern, said in named.items():
        meant = names_of(said)
        whole = asked_for([pattern], set(plain), contents_of("encoders"))
        theirs = whole or asked_for([pattern], set(plain.values()), contents_of("encoders"))
        if not theirs:
            raise DataProblem(
                f"no encoder of these results is called {pattern}: name one that was measured"
            )
        for reference, without in plain.items():
            if reference in theirs or without in theirs:
                rows.setdefault(reference, []).extend(meant)
    return rows


def _without_epoch(encoder: str) -> str:
    parsed = parsed_or_none(encoder)
    if parsed is None or parsed.name != "trained":
        return encoder
    return str(parsed.without("epoch").plus(epoch="best"))


def _nothing(found: Sequence[TestedClaim]) -> str:
    """Why no claim can be tested, by the reason that most have."""
    reasons = [one.verdict for one in found]
    commonest = max(dict.fromkeys(reasons), key=reasons.count)
    return (
        f"none of {len(found)} claims can be tested: most often, {commonest}; --as names the row of"
        " a paper's table that an encoder corresponds to"
    )
