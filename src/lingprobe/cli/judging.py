"""`lingprobe annotate`: sheets for people to judge, and what they judged."""

from __future__ import annotations

from pathlib import Path

import lingprobe
from lingprobe.cli.declaration import Arguments, argument, command, option
from lingprobe.cli.options import OUTPUT, as_list, remark, show
from lingprobe.data.errors import UsageProblem


@command(
    "annotate",
    argument(
        "files",
        "TASK",
        help="A task with its data, such as `ud/tense:en_ewt`; with --score, filled sheets.",
    ),
    option("n", "-n", metavar="N", least=1),
    OUTPUT,
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
)
def annotate(
    given: Arguments,
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
        show(lingprobe.score_sheets(files, output, trust=trust))
        if output is not None:
            remark(
                f"{output}: lingprobe report --suite ... --human {output} shows it in a paper's"
                " table"
            )
        return
    if len(files) != 1 or output is None:
        raise UsageProblem(
            "give one task, and -o FILE for the sheet (or --score and filled sheets)"
        )
    words, meanings = _parse_label_words(as_list(call))
    sheet = lingprobe.annotate(files[0], output, words=words, meanings=meanings, **given)
    n = given["n"]
    short = f" (all that there are; you asked for {n:,})" if sheet.n < n else ""
    remark(
        f"{output}: {sheet.n:,} sentences{short}; score it with lingprobe annotate --score {output}"
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
