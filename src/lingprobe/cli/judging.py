"""`lingprobe annotate`: sheets for people to judge, and what they judged."""

from __future__ import annotations

from typing import Annotated

import typer

import lingprobe
from lingprobe.cli.options import Output, Seed, Trust, listed, remark, show
from lingprobe.data.errors import UsageProblem


def annotate(
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="TASK",
            help=("A task with its data, such as `ud/tense:en_ewt`; with --score, filled sheets."),
        ),
    ],
    n: Annotated[
        int, typer.Option("-n", min=1, metavar="N", help="Number of test sentences.")
    ] = 200,
    output: Output = None,
    check: Annotated[
        bool, typer.Option("--check", help="Show the gold labels and ask whether they are right.")
    ] = False,
    ask: Annotated[
        str,
        typer.Option(
            "--ask",
            metavar="TEXT",
            help=("The question on the sheet (default: the task's question)."),
        ),
    ] = "",
    call: Annotated[
        list[str] | None,
        typer.Option(
            "--call",
            metavar="LABEL=WORD",
            help="The word that people write for a label, or `WORD: MEANING`; may be repeated.",
        ),
    ] = None,
    seed: Seed = 0,
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="STRATUM",
            help=(
                "Draw as many of each label and value of a stratum (`auxiliary` of `ud/tense`),"
                " rare ones first: to find faults, not for a bound."
            ),
        ),
    ] = "",
    score: Annotated[
        bool,
        typer.Option("--score", help="Read filled copies of a sheet, and score them."),
    ] = False,
    trust: Trust = False,
) -> None:
    """Write a sheet of test sentences for people to label, or score filled sheets as a human upper
    bound.

    Each person fills in a copy of the sheet. It has no gold labels (unless you use --check). The
    human score is that of the majority's answers, as in Conneau et al. 2018.

    **Examples**

    - `lingprobe annotate ud/tense:UD_English-EWT -n 200 -o sheet.tsv`
    - `lingprobe annotate ud/tense:UD_English-EWT --check -o sheet.tsv`
    - `lingprobe annotate ud/tense:UD_English-EWT --check --by auxiliary -o sheet.tsv`
    - `lingprobe annotate --score anna.tsv ben.tsv -o bound.json`
    """
    if score:
        show(lingprobe.score_sheets(given, output, trust=trust))
        if output is not None:
            remark(
                f"{output}: lingprobe report --suite ... --human {output} shows it in a paper's"
                " table"
            )
        return
    if len(given) != 1 or output is None:
        raise UsageProblem(
            "give one task, and -o FILE for the sheet (or --score and filled sheets)"
        )
    words, meanings = _called(listed(call))
    sheet = lingprobe.annotate(
        given[0], output, n=n, check=check, question=ask, words=words, meanings=meanings,
        seed=seed, by=by,
    )  # fmt: skip
    short = f" (all that there are; you asked for {n:,})" if sheet.n < n else ""
    remark(
        f"{output}: {sheet.n:,} sentences{short}; score it with lingprobe annotate --score {output}"
    )


def _called(texts: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Words in place of labels, and their meanings, from texts such as 'O=acceptable: somebody
    could say it'.
    """
    words, explained = {}, {}
    for text in texts:
        label, equals, rest = text.partition("=")
        word, _, meaning = (part.strip() for part in rest.partition(":"))
        if not equals or not word:
            raise UsageProblem(f"--call {text}: write LABEL=WORD")
        words[label] = word
        if meaning:
            explained[label] = meaning
    return words, explained
