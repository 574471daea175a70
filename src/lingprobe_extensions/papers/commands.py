"""`lingprobe claims`: whether claims of papers are reproduced; `annotate`: what people score."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import typer

import lingprobe
from lingprobe import UsageProblem
from lingprobe.extend import SHARED_OPTIONS, command, option, show_page


@command(
    "claims",
    *SHARED_OPTIONS["selection of layers"],
    option("papers", "--paper", metavar="PAPER"),
    option(
        "as_",
        metavar="ENCODER=ROW",
        help=(
            "The row of a paper's table that an encoder corresponds to, such as"
            " `trained:models/fr=NMT En-Fr BiLSTM-max`; may be repeated."
        ),
    ),
    "published",
    "correction",
    option("every", "--all"),
    *SHARED_OPTIONS["style"],
    *SHARED_OPTIONS["page"],
    "trust",
    heading="Results",
)
def claims(
    given: Mapping[str, Any],
    *,
    as_: list[str] | None = None,
    style: Literal["terminal", "markdown", "latex", "html", "csv"] = "terminal",
    output: Path | None = None,
) -> None:
    """Test claims of papers about encoders: reproduced, not reproduced, or inconclusive.

    Each claim compares cells of the paper's table. Your encoders take the place of its rows:
    trained ones by architecture and objective, others by name, and any with `--as`. Scores are
    compared over the same test examples, and p values are corrected for all tested claims. If your
    data are not the paper's, a claim that is not reproduced may still be true of the paper's data.

    **Examples**

    - `lingprobe claims results/`
    - `lingprobe claims results/ --all`
    - `lingprobe claims results/ --paper conneau2018 --as 'trained:models/fr=NMT En-Fr BiLSTM-max'`
    - `lingprobe claims results/ --correction bh --format csv -o claims.csv`
    - `lingprobe claims --published conneau2018`
    - `lingprobe claims --published ettinger2018 --all --format markdown`
    """
    page = lingprobe.claims(**given, named=dict(map(_parse_encoder_row, list(as_ or ()))))
    show_page(page, style, output, "claim")


def _parse_encoder_row(text: str) -> tuple[str, str]:
    """An encoder and its row; UsageProblem where one is missing."""
    encoder, equals, row = text.rpartition("=")
    if not (encoder and equals and row):
        raise UsageProblem(f"--as {text}: write ENCODER=ROW, as 'st:mine=BiLSTM-max, NLI'")
    return encoder, row


@command(
    "annotate",
    option(
        "files",
        metavar="TASK",
        positional=True,
        help="A task with its data, such as `ud/tense:en_ewt`; with --score, filled sheets.",
    ),
    option("n", "-n", metavar="N", least=1),
    *SHARED_OPTIONS["page"],
    "check",
    option("question", "--ask", metavar="TEXT"),
    option(
        "call",
        metavar="LABEL=WORD",
        help="The word that people write for a label, or `WORD: MEANING`; may be repeated.",
    ),
    "seed",
    option("by", metavar="STRATUM"),
    option("score", help="Read filled copies of a sheet, and score them."),
    option("trust", help="Run code in files (`mine.py@thing`) that the sheets name."),
    heading="Data",
)
def annotate(
    given: Mapping[str, Any],
    *,
    files: list[str],
    output: Path | None = None,
    call: list[str] | None = None,
    score: bool = False,
    trust: bool = False,
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
        show_page(lingprobe.score_sheets(files, output, trust=trust))
        if output is not None:
            typer.echo(
                f"{output}: lingprobe report --suite ... --human {output} shows it in a paper's"
                " table",
                err=True,
            )
        return
    if len(files) != 1 or output is None:
        raise UsageProblem(
            "give one task, and -o FILE for the sheet (or --score and filled sheets)"
        )
    words, meanings = _parse_label_words(list(call or ()))
    sheet = lingprobe.annotate(files[0], output, words=words, meanings=meanings, **given)
    n = given["n"]
    short = f" (all that there are; you asked for {n:,})" if sheet.n < n else ""
    typer.echo(
        f"{output}: {sheet.n:,} sentences{short}; score it with lingprobe annotate --score"
        f" {output}",
        err=True,
    )


def _parse_label_words(texts: list[str]) -> tuple[dict[str, str], dict[str, str]]:
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
