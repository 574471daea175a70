"""`lingprobe status` and `lingprobe slurm`: one run on many machines."""

from __future__ import annotations

from typing import Annotated

import typer

import lingprobe
from lingprobe.cli.options import Cache, Folder, Output, PageStyle, listed, put, remark
from lingprobe.data.cache import write_text


def status(
    folder: Folder = None,
    which: Annotated[
        str,
        typer.Option(
            "--experiment",
            metavar="N",
            help="Which run: last, or a number counting back from the last (1).",
        ),
    ] = "last",
    cache: Cache = None,
    style: PageStyle = "terminal",
    output: Output = None,
) -> None:
    """Show the progress of a run on one or several machines, and its errors.

    It only reads the store, so it works on any machine that can see the folders. Running the same
    command again retries what failed, and nothing that is done. The exit code is 0 if all is done,
    else 1.

    **Examples**

    - `lingprobe status results/`
    - `lingprobe status results/ --format csv -o status.csv`
    """
    page = lingprobe.status(folder, experiment=which, cache=cache)
    put(page, style, output, "unit")
    if any(unit.state != "done" for unit in page.content):
        raise typer.Exit(1)


def slurm(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- COMMAND", help="A `run`, `experiment` or `embed` command, after `--`."
        ),
    ],
    shards: Annotated[
        int, typer.Option("--shards", min=1, metavar="N", help="Number of tasks in the array.")
    ],
    at_once: Annotated[
        int, typer.Option("--at-once", min=0, help="Most tasks to run at the same time; 0 for all.")
    ] = 0,
    cpus: Annotated[int, typer.Option("--cpus", min=1, help="Processors per task.")] = 1,
    gpus: Annotated[int, typer.Option("--gpus", min=0, help="GPUs per task.")] = 0,
    memory: Annotated[str, typer.Option("--memory", help="Memory per task, such as 16G.")] = "",
    time: Annotated[str, typer.Option("--time", help="Time limit per task, such as 4:00:00.")] = "",
    partition: Annotated[str, typer.Option("--partition", help="SLURM partition.")] = "",
    sbatch: Annotated[
        list[str] | None,
        typer.Option(
            "--sbatch",
            metavar="OPTION",
            help="Another option of sbatch, such as `--sbatch=--account=mine`; may be repeated.",
        ),
    ] = None,
    output: Output = None,
) -> None:
    """Print a script that splits one run over a SLURM job array.

    Nothing is submitted. Each task of the array runs the command with `--shard slurm`, in this
    folder, with this Python and this cache. All nodes must be able to see these.

    **Examples**

    - `lingprobe slurm --shards 16 --cpus 4 --time 4:00:00 -- run -t 'ud/*:UD_English-EWT' -e
      hf:bert-base-cased,layers=all -o results/`
    - `lingprobe slurm --shards 8 --gpus 1 -o embed.sh -- embed -e hf:bert-base-cased
    UD_English-EWT`
    """
    script = lingprobe.slurm(
        command,
        shards=shards,
        at_once=at_once,
        cpus=cpus,
        gpus=gpus,
        memory=memory,
        time=time,
        partition=partition,
        sbatch=listed(sbatch),
    )
    if output is None:
        typer.echo(script, nl=False)
        return
    write_text(output, script)
    remark(f"{output}: `sbatch {output}` submits it")
