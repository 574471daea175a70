"""`lingprobe results claims`: whether claims of papers are reproduced; `data annotate`: what
people score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import lingprobe
from lingprobe import Help, UsageProblem, command, flag
from lingprobe.extend import PageOptions, show_page
from lingprobe_extensions.papers.options import AnnotateOptions, ClaimsOptions


@dataclass(frozen=True, kw_only=True)
class ClaimsCommand(PageOptions, ClaimsOptions):
    """The options of `lingprobe results claims`."""

    as_: Annotated[
        Sequence[str],
        Help(
            "the row of a paper's table that an encoder corresponds to, such as"
            " `trained:models/fr=NMT En-Fr BiLSTM-max`"
        ),
        flag(metavar="ENCODER=ROW"),
    ] = ()


@command(ClaimsCommand, heading="Results")
def claims(options: ClaimsCommand) -> None:
    """Test claims of papers about encoders: reproduced, not reproduced, or inconclusive.

    Each claim compares cells of the paper's table. Your encoders take the place of its rows:
    trained ones by architecture and objective, others by name, and any with `--as`. Scores are
    compared over the same test examples, and p values are corrected for all tested claims. If your
    data are not the paper's, a claim that is not reproduced may still be true of the paper's data.

    **Examples**

    - `lingprobe results claims results/`
    - `lingprobe results claims results/ --all`
    - `lingprobe results claims results/ --paper conneau2018 --as 'trained:models/fr=NMT
      En-Fr BiLSTM-max'`
    - `lingprobe results claims results/ --correction bh --format csv -o claims.csv`
    - `lingprobe results claims --published conneau2018`
    - `lingprobe results claims --published ettinger2018 --all --format markdown`
    """
    named = dict(map(_parse_encoder_row, options.as_))
    page = lingprobe.claims(**options.select(ClaimsOptions), named=named)
    show_page(page, options.style, options.output, "claim")


def _parse_encoder_row(text: str) -> tuple[str, str]:
    """An encoder and its row; UsageProblem where one is missing."""
    encoder, equals, row = text.rpartition("=")
    if not (encoder and equals and row):
        raise UsageProblem(f"--as {text}: write ENCODER=ROW, as 'st:mine=BiLSTM-max, NLI'")
    return encoder, row


@dataclass(frozen=True, kw_only=True)
class AnnotateCommand(AnnotateOptions):
    """The options of `lingprobe data annotate`."""

    output: Annotated[
        Path | None,
        Help("the sheet to write; with --score, a file of JSON"),
        flag("-o", metavar="FILE"),
    ] = None
    files: Annotated[
        Sequence[str],
        Help("a task with its data, such as `ud/tense:en_ewt`; with --score, filled sheets"),
        flag(metavar="TASK", positional=True),
    ]
    call: Annotated[
        Sequence[str],
        Help("the word that people write for a label, or `WORD: MEANING`"),
        flag(metavar="LABEL=WORD"),
    ] = ()
    score: Annotated[bool, Help("read filled copies of a sheet, and score them")] = False
    trust: Annotated[bool, Help("run code in files (`mine.py@thing`) that the sheets name")] = False


@command(AnnotateCommand, heading="Data")
def annotate(options: AnnotateCommand) -> None:
    """Write a sheet of test sentences for people to label, or score filled sheets as a human upper
    bound.

    Each person fills in a copy of the sheet. It has no gold labels (unless you use --check). The
    human score is that of the majority's answers, as in Conneau et al. 2018.

    **Examples**

    - `lingprobe data annotate ud/tense:UD_English-EWT -n 200 -o sheet.tsv`
    - `lingprobe data annotate ud/tense:UD_English-EWT --check -o sheet.tsv`
    - `lingprobe data annotate ud/tense:UD_English-EWT --check --by auxiliary -o sheet.tsv`
    - `lingprobe data annotate --score anna.tsv ben.tsv -o bound.json`
    """
    files, output = options.files, options.output
    if options.score:
        show_page(lingprobe.score_sheets(files, output, trust=options.trust))
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
    words, meanings = _parse_label_words(options.call)
    chosen = options.select(AnnotateOptions)
    sheet = lingprobe.annotate(files[0], output, words=words, meanings=meanings, **chosen)
    short = f" (all that there are; you asked for {options.n:,})" if sheet.n < options.n else ""
    typer.echo(
        f"{output}: {sheet.n:,} sentences{short}; score it with lingprobe data annotate --score"
        f" {output}",
        err=True,
    )


def _parse_label_words(texts: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
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
