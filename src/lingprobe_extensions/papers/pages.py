"""Claims of papers, tested on their own tables or on results, as a page."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from lingprobe import Page, Table
from lingprobe.extend import TableSection, format_csv, format_number, format_p_value, shorten_task
from lingprobe_extensions.papers.claim_tests import TRAINING_DEVIATION_POINTS, TestedClaim
from lingprobe_extensions.papers.claims import UNTESTED_RELATIONS
from lingprobe_extensions.papers.retests import (
    PAPERS_OWN_PROBE,
    VERDICT_WORDS,
    PaperSetting,
    SettingScores,
)
from lingprobe_extensions.papers.verdicts import CLAIM_SIGNIFICANCE_LEVEL

_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg"}
_WIDTH = 120
_FEW = 3  # tasks that are named; of more only how many there are
_TITLES = {
    "conneau2018": "Conneau et al. 2018",
    "ud2019": "Krasnowska-Kieraś & Wróblewska 2019",
    "ettinger2018": "Ettinger et al. 2018",
    "tenney2019": "Tenney et al. 2019",
}
_HEAD = ("verdict", "p", "claim")
_TEXT = frozenset({"verdict", "claim"})


def published_page(
    claims: Sequence[TestedClaim], with_untested: bool, correction: str
) -> Page[tuple[TestedClaim, ...]]:
    """Papers' claims, tested on their own tables."""

    def make_tables() -> list[Table]:
        notes = (*_explain_claims(claims, correction, "paper"), *_published_notes(claims))
        return [Table(_HEAD, tuple(_sections(claims, with_untested)), _TEXT, notes)]

    return Page(tuple(claims), make_tables, {"csv": lambda: format_csv(claims)}, width=_WIDTH)


def claims_page(
    claims: Sequence[TestedClaim],
    settings: Mapping[PaperSetting, SettingScores],
    with_untested: bool,
    correction: str,
) -> Page[tuple[TestedClaim, ...]]:
    """Papers' claims, tested on results; those that were not tested come last, with
    `with_untested`.
    """
    tested = [one for one in claims if one.verdict in VERDICT_WORDS.values()]
    lacking = [one for one in claims if one.verdict not in VERDICT_WORDS.values()]

    def make_tables() -> list[Table]:
        notes = [*_explain_claims(tested, correction, "table"), *_result_notes(tested, settings)]
        if lacking and not with_untested:
            notes.append(
                f"{len(lacking)} claims were not tested, because encoders or tasks are missing;"
                " --all lists them."
            )
        tables = [Table(_HEAD, tuple(_sections(tested, with_untested)), _TEXT, tuple(notes))]
        return [*tables, _lacking(lacking)] if lacking and with_untested else tables

    return Page(tuple(claims), make_tables, {"csv": lambda: format_csv(claims)}, width=_WIDTH)


def _sections(found: Sequence[TestedClaim], every: bool) -> Iterator[TableSection]:
    """Claims by paper, data and probe."""
    for paper, data, probe in dict.fromkeys((one.paper, one.data, one.probe) for one in found):
        mine = [one for one in found if (one.paper, one.data, one.probe) == (paper, data, probe)]
        by = f"probe: {'that of the paper' if probe == PAPERS_OWN_PROBE else probe}"
        heading = f"{_TITLES[paper]}: {shorten_task(data)}, {by}" if data else _TITLES[paper]
        counts = Counter(one.verdict for one in mine)
        total = ", ".join(f"{word}: {many}" for word, many in counts.items())
        lines = tuple(line for one in mine for line in _format_claim(one, every))
        claims = frozenset((i, _HEAD.index("claim")) for i, line in enumerate(lines) if line[1])
        yield TableSection(heading, lines, f"{total}.", claims)


def _format_claim(one: TestedClaim, every: bool) -> Iterator[tuple[str, str, str]]:
    """A claim with its verdicts, the difference that decides, the paper's words and its cause."""
    yield (one.verdict, format_p_value(one.corrected), f"{one.claim} ({one.where})")
    if one.compared:
        recipes = f"recipes: {one.recipes}" if one.recipes else ""
        yield (
            recipes,
            "",
            f"{_format_sign_counts(one)}. {_decisive_sides(one)}; {_difference(one)}",
        )
    if every:
        yield ("", "", f"The paper: “{one.quote}”")
    if every and one.cause:
        yield ("", "", f"Suggested cause, not tested: {one.cause}.")


def _format_sign_counts(one: TestedClaim) -> str:
    """How many comparisons have the sign of the claim, and how many it needs if not all."""
    needed = f", {one.needed} needed ({one.quantifier})" if one.needed < one.compared else ""
    return f"{one.agree}/{one.compared} agree{needed}"


def _decisive_sides(one: TestedClaim) -> str:
    """The two sides of the difference that decides, with their scores."""
    tasks = one.task.split(", ")
    first, second = (f"{each:.1f}" for each in (one.first_score, one.second_score))
    if one.first == one.second and len(tasks) == 2:
        return f"{one.first}: {tasks[0]} {first}, {tasks[1]} {second}"
    of = one.task if len(tasks) <= _FEW else f"{len(tasks)} tasks"
    other = re.sub(r"^(chance )?[\d.]+$", r"\1", one.second)
    return f"{of}: {one.first} {first}, {other.strip()} {second}".replace(",  ", ", ")


def _difference(one: TestedClaim) -> str:
    """The difference that decides, with its interval, its margin and the number of examples."""
    margin = f"; margin {one.within:g}" if one.within else ""
    interval = f"{format_number(one.low)} to {format_number(one.high)}"
    told = f"difference {one.difference:+.1f} ({interval}{margin})"
    return told.replace("-", "−") + (f", n {one.n:,}" if one.n else "")


def _explain_claims(found: Sequence[TestedClaim], correction: str, family: str) -> Iterator[str]:
    """What the columns mean."""
    yield (
        "agree: how many comparisons have the sign of the claim. It is supported if significantly"
        " enough of them are true: all, or as many as its quantifier says (most and in general:"
        " more than half; almost all: four fifths). Below the claim are the scores whose"
        " difference decides (the weakest that the verdict needs), with the 95 % interval of the"
        " difference and the number of test examples, n."
    )
    yield (
        f"p ({_CORRECTIONS[correction]}): of the claim, corrected for all claims of this {family};"
        f" inconclusive if {CLAIM_SIGNIFICANCE_LEVEL:g} or above."
    )
    if any(one.within for one in found):
        yield (
            "Margin: scores count as alike if they differ by less than this many points, and a"
            " score as not above another one if it is less than so much above. Papers give no such"
            " margin; these are ours."
        )


def _published_notes(found: Sequence[TestedClaim]) -> Iterator[str]:
    """How sure published scores are."""
    if any(one.n for one in found):
        yield (
            "Tests assume that encoders make errors independently of each other. If they err on the"
            " same examples, a paired test has more power, but it needs more than a published"
            " table."
        )
    if any(one.paper == "tenney2019" for one in found):
        yield (
            "Tenney et al. 2019: intervals are those of the caption of Table 2, which does not say"
            " what they are over."
        )
    if recipes := [
        paper for paper in TRAINING_DEVIATION_POINTS if any(one.paper == paper for one in found)
    ]:
        yield (
            "recipes: the verdict on the recipes by which the encoders were trained, each of them"
            f" once. The standard deviation between trainings of a recipe is taken to be"
            f" {TRAINING_DEVIATION_POINTS[recipes[0]]:g} points, as measured on tasks like these"
            " with small ones."
        )
    if any(one.verdict == UNTESTED_RELATIONS["figure"] for one in found):
        yield (
            f"{UNTESTED_RELATIONS['figure']}: the paper gives it only in a figure, an appendix or"
            " the text."
        )
    if any(one.verdict == UNTESTED_RELATIONS["correlation"] for one in found):
        yield f"{UNTESTED_RELATIONS['correlation']}: a correlation over encoders or tasks."


def _result_notes(
    found: Sequence[TestedClaim], settings: Mapping[PaperSetting, SettingScores]
) -> Iterator[str]:
    """What was compared with what."""
    yield (
        "Claims are tested on what was measured, which may be only some of the paper's rows and"
        " tasks. Differences are paired over the same test examples; tasks are assumed to be"
        " independent."
    )
    mine = {PaperSetting(one.paper, one.data, one.probe) for one in found}
    known = {setting: cells for setting, cells in settings.items() if setting in mine}
    here = list(known.values())
    if any(cells.why for cells in here):
        yield "These are not the papers' data: a claim that is not reproduced may be true of them."
    if any(who.row.endswith(", NMT") for cells in here for who in cells.encoders):
        yield "NMT: the target language of an encoder is not known; give it with --as."
    pooled = {
        shorten_task(setting.data) or _TITLES[setting.paper]: math.sqrt(variance)
        for setting, cells in known.items()
        for variance, df in [cells.trainings]
        if df
    }
    if pooled:
        said = ", ".join(f"{deviation:.1f} points on {data}" for data, deviation in pooled.items())
        yield (
            "Several trainings of one recipe count as one encoder. Intervals include the standard"
            f" deviation between them, pooled over cells: {said}."
        )
    once = dict.fromkeys(row for cells in here for row in cells.once)
    if once:
        unknown = "" if pooled else " How much trainings vary is unknown."
        yield f"Only one training, or one set of random weights: {'; '.join(once)}.{unknown}"


def _lacking(found: Sequence[TestedClaim]) -> Table:
    """The claims that were not tested, and why."""
    sections = [
        TableSection(
            _TITLES[paper],
            tuple((f"{f.claim} ({f.where})", f.verdict) for f in found if f.paper == paper),
        )
        for paper in dict.fromkeys(one.paper for one in found)
    ]
    head = ("claim", "not tested")
    return Table(head, tuple(sections), frozenset(head), (), "Claims that were not tested")
