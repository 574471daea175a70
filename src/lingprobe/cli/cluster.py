"""`lingprobe status` and `lingprobe slurm`: one run on many machines."""

from __future__ import annotations

from pathlib import Path

import typer

import lingprobe
from lingprobe.cli.declaration import Arguments, argument, command, option
from lingprobe.cli.options import (
    CACHE,
    FOLDER,
    OUTPUT,
    PAGE_STYLE,
    WHICH,
    PageStyle,
    remark,
    show_page,
)
from lingprobe.data.cache import write_text


@command("status", FOLDER.but(name="folder"), WHICH, CACHE, PAGE_STYLE, OUTPUT)
def status(given: Arguments, *, style: PageStyle = "terminal", output: Path | None = None) -> None:
    """Show the progress of a run on one or several machines, and its errors.

    It only reads the store, so it works on any machine that can see the folders. Running the same
    command again retries what failed, and nothing that is done. The exit code is 0 if all is done,
    else 1.

    **Examples**

    - `lingprobe status results/`
    - `lingprobe status results/ --format csv -o status.csv`
    """
    page = lingprobe.status(**given)
    show_page(page, style, output, "unit")
    if any(unit.state != "done" for unit in page.content):
        raise typer.Exit(1)


@command(
    "slurm",
    argument(
        "arguments",
        "-- COMMAND",
        help="A `run`, `experiment` or `embed` command, after `--`.",
    ),
    option("shards", metavar="N", least=1),
    option("at_once", least=0),
    option("cpus", least=1),
    option("gpus", least=0),
    "memory",
    "time",
    "partition",
    option(
        "sbatch",
        metavar="OPTION",
        help="Another option of sbatch, such as `--sbatch=--account=mine`; may be repeated.",
    ),
    OUTPUT,
)
def slurm(given: Arguments, *, output: Path | None = None) -> None:
    """Print a script that splits one run over a SLURM job array.

    Nothing is submitted. Each task of the array runs the command with `--shard slurm`, in this
    folder, with this Python and this cache. All nodes must be able to see these.

    **Examples**

    - `lingprobe slurm --shards 16 --cpus 4 --time 4:00:00 -- run -t 'ud/*:UD_English-EWT' -e
      hf:bert-base-cased,layers=all -o results/`
    - `lingprobe slurm --shards 8 --gpus 1 -o embed.sh -- embed -e hf:bert-base-cased
    UD_English-EWT`
    """
    script = lingprobe.slurm(**given)
    if output is None:
        typer.echo(script, nl=False)
        return
    write_text(output, script)
    remark(f"{output}: `sbatch {output}` submits it")
