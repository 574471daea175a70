"""`lingprobe train`: a sentence encoder or a parser, from files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import lingprobe
from lingprobe.cli.completing import names
from lingprobe.cli.listing import lister
from lingprobe.cli.options import Quiet, Tasks, listed
from lingprobe.data.errors import UsageProblem
from lingprobe.data.progress import bar

Data = Annotated[
    list[Path] | None,
    typer.Option("--data", metavar="FILE", help="Training data; several files may follow."),
]
Dev = Annotated[
    list[Path] | None,
    typer.Option(
        "--dev",
        metavar="FILE",
        help=("Data to select the best epoch (default: a part of the training data)."),
    ),
]
Folder = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write.")]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where", metavar="COLUMN=PATTERN", help=("Only rows of a table whose column matches.")
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="CORPUS",
        help=("Leave out the sentences of these corpora, which will be probed."),
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help=("Further settings, such as `clip=1`; see docs/training.md."),
    ),
]


def train(
    architecture: Annotated[
        str,
        typer.Argument(
            metavar="ARCHITECTURE",
            help=(
                "`bilstm-max`, `gated-convnet`, `bow`, `parser` and others; see docs/training.md."
            ),
        ),
    ],
    output: Folder,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Training data, like --data.", show_default=False),
    ] = None,
    objective: Annotated[
        str,
        typer.Option(
            "--objective",
            metavar="NAME",
            help=(
                "What to learn, such as `translate` or `mine.py@order`; `lingprobe objectives`"
                " lists them (not needed for `bow` and `parser`)."
            ),
            autocompletion=names("objectives"),
        ),
    ] = "",
    data: Data = None,
    dev: Dev = None,
    evaluate: Annotated[
        list[Path] | None,
        typer.Option(
            "--evaluate",
            metavar="FILE",
            help="Also evaluate on these after every epoch, without selecting anything.",
        ),
    ] = None,
    where: Where = None,
    exclude: Exclude = None,
    task: Tasks = None,
    vectors: Annotated[
        Path | None,
        typer.Option("--vectors", metavar="FILE", help="Static word vectors (default: random)."),
    ] = None,
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            metavar="NAME",
            help="small (two cores, minutes) or paper (a GPU); combo for a parser.",
        ),
    ] = "",
    epochs: Annotated[
        int | None, typer.Option("--epochs", min=1, help="Passes over the data (default: 8).")
    ] = None,
    hidden: Annotated[
        int | None,
        typer.Option("--hidden", min=1, help="Units per direction (default: 512)."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help=("The random seed of weights and data order (default: 0).")),
    ] = None,
    setting: Set = None,
    quiet: Quiet = False,
) -> None:
    """Train a sentence encoder or a parser, and save it after every epoch.

    Use the folder as an encoder: `trained:FOLDER`, or `trained:FOLDER,epoch=2` after two epochs.
    The same command continues a training that was stopped. Needs the extra `train`.

    **Examples**

    - `lingprobe train bilstm-max --objective translate --data train.en train.de -o models/en-de`
    - `lingprobe train bilstm-last --objective next --data novels.txt.xz --vectors novels.vec
      --exclude UD_English-EWT -o models/next`
    - `lingprobe train bilstm-max --objective infer --data nli.tsv --where 'source=lingnli*'
      --set batch=2048 -o models/nli`
    - `lingprobe train mean --objective infer --data lingnli.tsv --evaluate snli-dev.tsv -o
    models/mean` - `lingprobe train bow --objective cbow --data novels.txt.xz -o models/s2v`
    - `lingprobe train parser UD_English-EWT -o models/ewt`
    - `lingprobe run -t 'ud/*:UD_English-EWT' -e trained:models/en-de trained:models/en-de,epoch=1`
    """
    given: dict[str, Any] = {"vectors": vectors, "epochs": epochs, "hidden": hidden, "seed": seed}
    with _Bars(quiet) as bars:
        done = lingprobe.train(
            architecture,
            objective,
            [*listed(files), *listed(data)],
            output,
            dev=listed(dev),
            evaluate=listed(evaluate),
            where=dict(_named(where)),
            exclude=listed(exclude),
            tasks=listed(task),
            told=bars.told,
            recipe=recipe,
            **{name: value for name, value in given.items() if value is not None},
            **dict(_named(setting)),
        )
    typer.echo(str(done))


def export(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help=("A folder written by `lingprobe train`."))
    ],
    output: Folder,
    epoch: Annotated[
        str, typer.Option("--epoch", metavar="N", help=("The epoch to export: best, or a number."))
    ] = "best",
    words: Annotated[
        list[str] | None,
        typer.Option(
            "--words",
            metavar="CORPUS",
            help="Corpora whose words get vectors too; several may follow.",
        ),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(
            "--vectors", metavar="FILE", help=("The file of its word vectors, if it has moved.")
        ),
    ] = None,
) -> None:
    """Convert a trained encoder to a model of sentence-transformers.

    Its vocabulary is that of its training. Sentences of these words get the same vectors as from
    `trained:FOLDER`. Needs the extra `st`.

    **Examples**

    - `lingprobe export models/en-de -o models/en-de-st`
    - `lingprobe export models/en-de -o models/en-de-st --epoch 2 --words UD_English-EWT`
    """
    done = lingprobe.export(folder, output, epoch=epoch, words=listed(words), vectors=vectors)
    typer.echo(str(done))


def _named(pairs: list[str] | None) -> list[tuple[str, Any]]:
    named = [pair.partition("=") for pair in listed(pairs)]
    for text, sign, _ in named:
        if not sign:
            raise UsageProblem(f"{text!r}: write NAME=VALUE")
    return [(name, value) for name, _, value in named]


class _Bars:
    """A bar for each epoch."""

    def __init__(self, quiet: bool) -> None:
        self.quiet, self.epoch = quiet, 0
        self.bar: Any = None

    def __enter__(self) -> _Bars:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def told(self, epoch: int, done: int, of: int, loss: float) -> None:
        """Draw how far an epoch is."""
        if epoch != self.epoch:
            self.__exit__()
            self.bar = bar(
                not self.quiet, total=of, desc=f"epoch {epoch}", unit=" words", unit_scale=True
            )
            self.epoch = epoch
        self.bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
        self.bar.update(done - self.bar.n)


objectives = lister(
    "objectives",
    """List what `lingprobe train --objective` can train an encoder for.

    **Examples**: `lingprobe objectives`, `lingprobe objectives mine.py@order`
    """,
)
