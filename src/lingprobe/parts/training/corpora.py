"""`lingprobe audit-parser`, `tag` and `vectors`: parsers, taggers and word vectors from corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import lingprobe
from lingprobe.cli.options import OnError, PageStyle, Quiet, Tasks, listed, remark, show


def audit_parser(
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD",
            help=("A treebank that the parser was not trained on; its test split is used."),
        ),
    ],
    parsed: Annotated[
        str,
        typer.Argument(
            metavar="PARSED",
            help=("The same sentences, parsed; or a parser, such as `udpipe:MODEL`."),
        ),
    ],
    into: Annotated[
        list[Path] | None,
        typer.Option(
            "--into",
            metavar="FOLDER",
            help="Store the audit in a corpus made with this parser, so that tables show it.",
        ),
    ] = None,
    style: PageStyle = "terminal",
) -> None:
    """Show how often labels of tasks are right if they come from a parser instead of gold trees, by
    class and by the parser's confidence.

    **Examples**

    - `lingprobe audit-parser UD_English-EWT udpipe:english.udpipe`
    - `lingprobe audit-parser UD_English-EWT models/ewt --into parsed`
    - `lingprobe audit-parser gold/ parsed/ --format markdown`
    """
    show(lingprobe.audit_parser(gold, parsed, into=listed(into)), style)


def tag(
    text: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT", help="Running text, one sentence per line: .txt, .txt.gz or .txt.xz."
        ),
    ],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="TAGGED",
            help="Training data of the tagger: tagged text, or NLTK's brown.zip.",
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
        int, typer.Option("--seed", help="The random seed that orders the training data.")
    ] = 0,
    on_error: OnError = "raise",
    quiet: Quiet = False,
) -> None:
    """Tag running text with a tagger trained on tagged text, and show its accuracy on held-out
    text.

    **Examples**

    - `lingprobe tag novels.txt.xz --from brown.zip -o novels.tagged.xz`
    """
    done = lingprobe.tag(text, source, output, seed=seed, on_error=on_error, progress=not quiet)
    remark(
        f"{done.accuracy:.2%} of {done.tested:,} held-out words are tagged as in {source}", quiet
    )
    left_out = (
        f"; {done.skipped:,} lines left out, the first: {done.problem}" if done.skipped else ""
    )
    remark(f"{output}: {done.sentences:,} sentences, {done.words:,} words{left_out}", quiet)


def vectors(
    corpus: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT",
            help=("Running text, one sentence or paragraph per line (.txt, .gz, .xz)."),
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write: .vec, or .bin with subwords."
        ),
    ],
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            "--exclude", metavar="CORPUS", help=("Treebanks or texts whose sentences to leave out.")
        ),
    ] = None,
    task: Tasks = None,
    dim: Annotated[int, typer.Option("--dim", min=1, help="Number of dimensions.")] = 300,
    epochs: Annotated[
        int, typer.Option("--epochs", min=1, help="Number of passes over the text.")
    ] = 5,
    least: Annotated[int, typer.Option("--least", min=1, help="Minimum frequency of a word.")] = 5,
    subwords: Annotated[
        bool,
        typer.Option(
            "--subwords",
            help=("Use fastText, which makes vectors of unseen words from character n-grams."),
        ),
    ] = False,
    skipgram: Annotated[
        bool, typer.Option("--skipgram", help="Use skip-gram instead of CBOW.")
    ] = False,
    english: Annotated[
        bool, typer.Option("--english", help="Split clitics (do n't), as English treebanks do.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="The random seed.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Train word vectors on running text, without the sentences that they will be probed on.

    Needs gensim (the extra `static`). Use the vectors as an encoder, `static:FILE`,
    or as the word vectors of `untrained:` encoders.

    **Examples**

    - `lingprobe vectors novels.txt --exclude UD_English-EWT --english -o novels.vec`
    - `lingprobe vectors corpus.txt.xz -t 'ud/*:UD_Polish-PDB' --subwords --dim 100 -o polish.bin`
    """
    done = lingprobe.train_vectors(
        corpus,
        output,
        exclude=listed(exclude),
        tasks=listed(task),
        dim=dim,
        epochs=epochs,
        least=least,
        subwords=subwords,
        skipgram=skipgram,
        english=english,
        seed=seed,
    )
    remark(str(done), quiet)
