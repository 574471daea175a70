"""`lingprobe cluster status` and `lingprobe cluster slurm`: one run on many machines."""

from __future__ import annotations

from dataclasses import dataclass

import typer

import lingprobe
from lingprobe.api.options import SlurmOptions, StatusOptions
from lingprobe.cli.declaration import command
from lingprobe.cli.options import (
    FileOptions,
    PageOptions,
    print_remark,
    show_page,
)
from lingprobe.data.cache import write_text


@dataclass(frozen=True, kw_only=True)
class StatusCommand(PageOptions, StatusOptions):
    """The options of `lingprobe cluster status`."""


@command(StatusCommand)
def status(options: StatusCommand) -> None:
    """Show the progress of a run on one or several machines, and its errors.

    It only reads the store, so it works on any machine that can see the folders. Running the same
    command again retries what failed, and nothing that is done. The exit code is 0 if all is done,
    else 1.

    **Examples**

    - `lingprobe cluster status results/`
    - `lingprobe cluster status results/ --format csv -o status.csv`
    """
    page = lingprobe.status(**options.select(StatusOptions))
    show_page(page, options.style, options.output, "unit")
    if any(unit.state != "done" for unit in page.content):
        raise typer.Exit(1)


@dataclass(frozen=True, kw_only=True)
class SlurmCommand(FileOptions, SlurmOptions):
    """The options of `lingprobe cluster slurm`."""


@command(SlurmCommand)
def slurm(options: SlurmCommand) -> None:
    """Print a script that splits one run over a SLURM job array.

    Nothing is submitted. Each task of the array runs the command with `--shard slurm`, in this
    folder, with this Python and this cache. All nodes must be able to see these.

    **Examples**

    - `lingprobe cluster slurm --shards 16 --cpus 4 --time 4:00:00 -- run -t 'ud/*:UD_English-EWT'
      -e hf:bert-base-cased,layers=all -o results/`
    - `lingprobe cluster slurm --shards 8 --gpus 1 -o embed.sh -- embed -e hf:bert-base-cased
    UD_English-EWT`
    """
    script = lingprobe.slurm(**options.select(SlurmOptions))
    if options.output is None:
        typer.echo(script, nl=False)
        return
    write_text(options.output, script)
    print_remark(f"{options.output}: `sbatch {options.output}` submits it")
