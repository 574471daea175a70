"""`sonde vectors`: word vectors of one's own, for floors that have seen as much text as one
likes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sonde.cli.corpora import sentences
from sonde.cli.options import Quiet, Tasks, remark


def vectors(
    corpus: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT", help="Running text, a sentence or a paragraph a line (.txt, .gz, .xz)."
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
        typer.Option("--exclude", metavar="CORPUS", help="Treebanks, or text, to leave out."),
    ] = None,
    task: Tasks = None,
    dim: Annotated[int, typer.Option("--dim", min=1, help="How many numbers a vector has.")] = 300,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="How often the text is read.")] = 5,
    least: Annotated[
        int, typer.Option("--least", min=1, help="How often a word must occur to get a vector.")
    ] = 5,
    subwords: Annotated[
        bool,
        typer.Option("--subwords", help="fastText: unseen words get vectors from their parts."),
    ] = False,
    skipgram: Annotated[
        bool, typer.Option("--skipgram", help="Skip-gram in place of CBOW.")
    ] = False,
    english: Annotated[
        bool, typer.Option("--english", help="Split clitics off (do n't), as English treebanks do.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of everything that is drawn.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Train word vectors on running text, without the sentences that they will be probed on.

    Needs gensim (`pip install 'sonde[static]'`). The vectors are then an encoder, `static:FILE`,
    and may stand below `untrained:` encoders.

    **Examples**

    - `sonde vectors novels.txt --exclude UD_English-EWT --english -o novels.vec`
    - `sonde vectors corpus.txt.xz -t 'ud/*:UD_Polish-PDB' --subwords --dim 100 -o polish.bin`
    """
    from sonde.experiment.places import Places
    from sonde.training.static import Settings, train_vectors

    probed = (
        sentences(exclude or [], task or [], Places.of(None, None).cache) if exclude or task else []
    )
    settings = Settings(
        dim, epochs, least=least, seed=seed, skipgram=skipgram, subwords=subwords, english=english
    )
    remark(str(train_vectors(corpus, output, probed, settings)), quiet)
