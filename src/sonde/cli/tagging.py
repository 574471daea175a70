"""`sonde tag`: parts of speech for running text, by a tagger trained on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sonde.cli.options import OnError, Quiet, remark


def tag(
    text: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT", help="Running text, one sentence a line: .txt, .txt.gz or .txt.xz."
        ),
    ],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="TAGGED",
            help="What the tagger learns from: tagged text, or NLTK's brown.zip.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write: .tagged, .tagged.gz or .tagged.xz.",
        ),
    ],
    seed: Annotated[
        int, typer.Option("--seed", help="In which order the tagger reads what it learns from.")
    ] = 0,
    on_error: OnError = "raise",
    quiet: Quiet = False,
) -> None:
    """Tag running text with a tagger trained on tagged text; the share of words that it gets right
    where it did not learn is shown.

    **Examples**

    - `sonde tag novels.txt.xz --from brown.zip -o novels.tagged.xz`
    """
    from tqdm import tqdm

    from sonde.annotators.tagger import accuracy, held_out, train
    from sonde.corpora import tagged
    from sonde.corpora import text as running
    from sonde.corpora.english import tokens
    from sonde.corpora.tally import Tally

    tally = Tally()
    known = [(sentence.words, tags) for sentence, tags in tagged.read(source, on_error, tally)]
    sentences = [
        words
        for path in text
        for s in running.read(path, on_error, tally)
        if (words := tokens(s.words))
    ]
    examples, test = held_out(known)
    learnt = train(examples, seed, progress=not quiet)
    remark(
        f"{accuracy(learnt, test):.2%} of {sum(len(words) for words, _ in test):,} held-out words"
        f" are tagged as in {source}",
        quiet,
    )
    told = tqdm(learnt.tag(sentences), "tagging", len(sentences), unit=" sentences", disable=quiet)
    tagged.write(output, zip(sentences, told, strict=True))
    left_out = (
        f"; {tally.skipped:,} lines left out, the first: {tally.problems[0]}"
        if tally.skipped
        else ""
    )
    remark(
        f"{output}: {len(sentences):,} sentences, {sum(map(len, sentences)):,} words{left_out}",
        quiet,
    )
