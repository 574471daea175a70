"""Claims of papers, tested on results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Unpack

from lingprobe import DataProblem, HumanBound, Page, Reference, Result, Selection, UsageProblem
from lingprobe.extend import (
    ResultsSource,
    allow_code,
    as_list,
    check_choice,
    check_file_ending,
    get_contents,
    read_stored_results,
    select_references,
    takes_options,
    try_parse_reference,
)
from lingprobe.extend import supply_treebanks as fetch_treebanks
from lingprobe_extensions.papers.bound import people_page, write_bound
from lingprobe_extensions.papers.claim_tests import PAPERS_WITH_CLAIMS, TestedClaim
from lingprobe_extensions.papers.claim_tests import judge_paper as published_claims
from lingprobe_extensions.papers.options import AnnotateOptions, ClaimsOptions
from lingprobe_extensions.papers.pages import claims_page, published_page
from lingprobe_extensions.papers.retests import match_row_names, retest_claims
from lingprobe_extensions.papers.sheet import Mode, Sheet, SheetRequest, write_sheet
from lingprobe_extensions.papers.sheet_score import score_copies


@takes_options(ClaimsOptions)
def claims(
    results: ResultsSource = None,
    *,
    papers: Sequence[str] | str = (),
    named: Mapping[str, str] | None = None,
    published: Literal["conneau2018", "ud2019", "ettinger2018", "tenney2019"] | None = None,
    correction: Literal["holm", "bh"] = "holm",
    every: bool = False,
    **selection: Unpack[Selection],
) -> Page[tuple[TestedClaim, ...]]:
    """Tests claims of papers on results, as `lingprobe results claims` does: each is reproduced,
    not reproduced, or inconclusive.

    named       the row of a paper's table that each encoder corresponds to, by name or pattern
                ({'trained:models/fr': 'NMT En-Fr BiLSTM-max'}), if it does not follow from the
                encoder's name or training
    DataProblem if no claim can be tested, unless all are shown; UsageProblem for an unknown paper
    or row. `.content` has a `TestedClaim` for each claim on each kind of data.

        print(lingprobe.claims(published="conneau2018"))
        print(lingprobe.claims("results/", named={"st:mine": "BiLSTM-max, NLI"}))
    """
    asked = as_list(papers) or list(PAPERS_WITH_CLAIMS)
    for paper in asked:
        check_choice("claims of", paper, PAPERS_WITH_CLAIMS)
    if published is not None:
        if results is not None or named or as_list(papers):
            raise UsageProblem(
                "published= tests a paper's own table: leave out results, papers and named rows"
            )
        return published_page(published_claims(published, correction), every, correction)
    known = read_stored_results(results, selection)
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
        meant = match_row_names(said)
        whole = select_references([pattern], set(plain), get_contents("encoders"))
        theirs = whole or select_references(
            [pattern], set(plain.values()), get_contents("encoders")
        )
        if not theirs:
            raise DataProblem(
                f"no encoder of these results is called {pattern}: name one that was measured"
            )
        for reference, without in plain.items():
            if reference in theirs or without in theirs:
                rows.setdefault(reference, []).extend(meant)
    return rows


def _without_epoch(encoder: str) -> str:
    parsed = try_parse_reference(encoder)
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


@takes_options(AnnotateOptions)
def annotate(
    task: str,
    output: str | Path,
    *,
    n: int = 200,
    check: bool = False,
    question: str = "",
    words: Mapping[str, str] | None = None,
    meanings: Mapping[str, str] | None = None,
    seed: int = 0,
    by: str = "",
) -> Sheet:
    """Write a sheet of test sentences for people to label. It has no gold labels, but records how
    to draw the same sentences again.

    task      a task with its data, such as 'ud/tense:en_ewt'
    words     label -> what people write for it
    meanings  label -> what that means
    DataProblem for a task whose labels are not one class per sentence.

        lingprobe.annotate("ud/tense:UD_English-EWT", "sheet.tsv", n=50)
    """
    allow_code(task)
    check_file_ending(output, ".tsv", ".txt")
    fetch_treebanks([Reference.parse(task)])
    mode: Mode = "check" if check else "blind"
    asking = SheetRequest(mode, n, seed, question, words or {}, meanings or {}, by)
    return write_sheet(
        get_contents("tasks").canonical(task),
        get_contents("tasks").make(task),
        Path(output),
        asking,
    )


def score_sheets(
    sheets: Sequence[str | Path], output: str | Path | None = None, *, trust: bool = False
) -> Page[HumanBound]:
    """The score of people on a task by majority vote, from filled copies of one sheet (Conneau et
    al. 2018). `.content` is the bound; printing it shows the table.

    sheets  the filled copies
    output  a file of JSON for `report(suite=..., human=[...])`
    trust   run the code in a file (`mine.py@task`) that the sheets name as their task
    DataProblem if the copies do not belong together, or the data have changed.

        print(lingprobe.score_sheets(["anna.tsv", "ben.tsv"]).content.score)
    """
    check_file_ending(output, ".json")
    bound = score_copies([Path(file) for file in sheets], trust)
    if output is not None:
        write_bound(bound, Path(output))
    return people_page(bound)
