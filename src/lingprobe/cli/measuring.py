"""`lingprobe run` and `lingprobe embed`: encode, fit, and show the table."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

import lingprobe
from lingprobe.cli.options import (
    SPEED,
    Ahead,
    BatchSize,
    Bounds,
    Cache,
    Controls,
    Device,
    Encoders,
    Keep,
    Languages,
    Models,
    OnError,
    ProbeDevice,
    Probes,
    Project,
    Quiet,
    Reads,
    Reproducible,
    ResultsFolder,
    Store,
    Style,
    Suite,
    Tasks,
    encoders_of,
    listed,
    names_encoder,
    remark,
    show,
    tasks_of,
)
from lingprobe.data.errors import UsageProblem

Jobs = Annotated[
    str,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N|ray",
        help=(
            "Number of processes that fit probes in parallel, or a Ray cluster: ray,"
            " ray:10.0.0.1:6379,cpus=4,gpus=1."
        ),
        rich_help_panel=SPEED,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Only estimate how much there is to do and how long it takes.",
    ),
]
Sharded = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="N/OF",
        help=(
            "On several machines: the share of this one, such as 3/16, or slurm in a SLURM array."
            " After its share, it does what the others have left."
        ),
        rich_help_panel=SPEED,
    ),
]
SHOWN = 10  # sentences that could not be encoded


def run(
    task: Tasks = None,
    model: Models = None,
    encoder: Encoders = None,
    output: ResultsFolder = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=3, metavar="N", help="At most N examples per task, for a first look."
        ),
    ] = None,
    dry_run: DryRun = False,
    probe: Probes = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds", min=1, metavar="N", help="How often each probe is trained (default: 5)."
        ),
    ] = None,
    control: Controls = None,
    read: Reads = None,
    language: Languages = None,
    suite: Suite = None,
    style: Style = "terminal",
    quiet: Quiet = False,
    device: Device = None,
    probe_device: ProbeDevice = "cpu",
    batch_size: BatchSize = None,
    jobs: Jobs = "1",
    shard: Sharded = None,
    cache: Cache = None,
    store: Store = "float32",
    project: Project = None,
    bounds: Bounds = True,
    keep: Keep = None,
    on_error: OnError = "raise",
    reproducible: Reproducible = False,
) -> None:
    """Probe encoders on tasks, and show the table.

    Nothing is measured twice: a run that was stopped continues where it was. Without a task and an
    encoder, it probes a treebank that comes with lingprobe and downloads nothing.

    **Examples**

    - `lingprobe run`
    - `lingprobe run -t 'ud/*:en_ewt' -m all-MiniLM-L6-v2 -o results/`
    - `lingprobe run -t ud/tense ud/passive -l pol -m all-MiniLM-L6-v2`
    - `lingprobe run -t ud/tense:UD_Polish-PDB -e
    hf:bert-base-multilingual-cased,layers=all,pool=mean
      --probe logreg`
    - `lingprobe run -t ud/tense:UD_English-EWT -e npz:my_vectors.npz --control shuffled --seeds 10`
    - `lingprobe run -t edge/dep:UD_English-EWT -e hf:bert-base-cased,layers=all,pool=none --read
    mix
      --keep scores -o results/`
    - `lingprobe run -t 'ud/*:UD_English-EWT' -m all-MiniLM-L6-v2 --dry-run`
    - `lingprobe run -t 'ud/*:UD_English-EWT' -m all-MiniLM-L6-v2 --limit 500`
    - `lingprobe run --suite ud2019:UD_English-EWT -e st:all-MiniLM-L6-v2`
    - `lingprobe run --suite ettinger2018:task_datasets -e bow:random`
    - `lingprobe run -t 'ud/*:UD_English-EWT' -m all-MiniLM-L6-v2 -o results/ --shard 3/16`
    """
    _check_format(style, suite)
    start = time.perf_counter()
    encoders = encoders_of(encoder, model, device, batch_size, quiet) or None
    settings: Any = {
        "suite": suite,
        "probes": listed(probe),
        "controls": listed(control),
        "reads": listed(read),
        "seeds": seeds,
        "bounds": bounds,
        "output": output,
        "cache": cache,
        "store": store,
        "project": project,
        "on_error": on_error,
        "limit": limit,
        "probe_device": probe_device,
    }
    tasks = tasks_of(task, language) or None
    if dry_run:
        typer.echo(str(lingprobe.estimate(tasks, encoders, **settings)))
        return
    done = lingprobe.run(
        tasks,
        encoders,
        **settings,
        keep_scores=keep == "scores",
        jobs=jobs,
        progress=not quiet,
        reproducible=reproducible,
        shard=shard,
    )
    _say(done, style)
    where = f" {output}" if output else f" {done.folder} --experiment last" if cache else ""
    again = f"lingprobe report{where}" + (f" --suite {suite}" if suite else "")
    remark(f"\n{_counts(done, time.perf_counter() - start)}; `{again}` shows them again", quiet)
    if set(done.failures) - done.refused:
        raise typer.Exit(1)


def experiment(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The experiment, as TOML.")],
    jobs: Jobs = "1",
    style: Style = "terminal",
    dry_run: DryRun = False,
    shard: Sharded = None,
    quiet: Quiet = False,
) -> None:
    """Run an experiment described in a TOML file, and show the table.

    Its keys are the arguments of `lingprobe.run` (`tasks`, `encoders`, `probes`, `controls`,
    `reads`, `seeds`, `output` and so on) and `models`, `device`, `batch_size` and `languages`. A
    copy with every default filled in is stored with the results. You can run the copy too, unless
    the experiment names code (`mine.py@thing`), which must be in the folder of the TOML file.

    **Examples**

    - `lingprobe experiment experiment.toml --dry-run`
    - `lingprobe experiment experiment.toml`
    """
    start = time.perf_counter()
    asked = lingprobe.read_experiment(file)
    _check_format(style, asked.settings.get("suite"))
    if dry_run:
        typer.echo(str(asked.estimate()))
        return
    done = asked.run(jobs=jobs, progress=not quiet, shard=shard)
    _say(done, style)
    where = asked.settings["output"]
    remark(f"\n{_counts(done, time.perf_counter() - start)}; all of it is in {where}", quiet)
    if set(done.failures) - done.refused:
        raise typer.Exit(1)


def _say(done: lingprobe.Evaluation, style: str) -> None:
    """Print the table of a run, and its remarks."""
    for text in done.remarks:
        remark(text)
    if done.results:
        show(done.page, style)
    else:
        remark("nothing could be measured:")
    for text in done.problems:
        remark(text)


def _check_format(style: str, suite: str | None) -> None:
    """Refuse a format that the table will not have, before anything is measured."""
    if style == "parquet":
        raise UsageProblem(
            "--format parquet is a file: keep the results with -o FOLDER, then `lingprobe report"
            " FOLDER --format parquet -o FILE`"
        )
    if suite and style == "mteb":
        raise UsageProblem(
            "--format mteb: a paper's table is written as terminal, markdown, latex, html, csv"
        )


def _counts(done: lingprobe.Evaluation, seconds: float) -> str:
    known = len(done.results) - done.fresh
    return f"{done.fresh:,} trials measured, {known:,} measured before, {seconds:.1f} s"


def embed(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(metavar="CORPUS", help="Treebanks, or text with one sentence per line."),
    ] = None,
    task: Tasks = None,
    encoder: Encoders = None,
    model: Models = None,
    device: Device = None,
    batch_size: BatchSize = None,
    listing: Annotated[
        Path | None,
        typer.Option(
            "--list", metavar="FILE", help="Write the sentences to FILE instead of encoding."
        ),
    ] = None,
    cache: Cache = None,
    store: Ahead = "float32",
    project: Project = None,
    shard: Sharded = None,
    quiet: Quiet = False,
) -> None:
    """Encode sentences into the cache before a run, for example on a machine with a GPU.

    With `--list`, write the sentences that a run would encode, one per line, to make vectors with
    another program.

    **Examples**

    - `lingprobe embed -e st:all-MiniLM-L6-v2 UD_English-EWT UD_English-GUM`
    - `lingprobe embed -e hf:bert-base-cased,layers=all -t 'ud/*:UD_English-EWT'`
    - `lingprobe embed -t 'ud/*:UD_English-EWT' --list sentences.txt`
    - `lingprobe embed -e hf:bert-base-cased,layers=all UD_English-EWT --shard 1/4`
    """
    # `-e A B` has read B as a corpus
    more = [each for each in listed(corpus) if encoder and names_encoder(each)]
    corpora = [each for each in listed(corpus) if each not in more]
    sentences = lingprobe.sentences(corpora, listed(task), output=listing, cache=cache)
    if listing:
        remark(f"{listing}: {len(sentences):,} sentences", quiet)
        return
    encoders = encoders_of([*listed(encoder), *more], model, device, batch_size, quiet) or None
    done = lingprobe.embed(
        sentences,
        encoders,
        cache=cache,
        store=store,
        progress=not quiet,
        shard=shard,
        project=project,
    )
    for reference, each in done.items():
        remark(
            f"{reference}: {each.encoded:,} sentences encoded, {each.cached:,} already stored,"
            f" {each.seconds:.1f} s",
            quiet,
        )
        for i, reason in each.problems[:SHOWN]:
            remark(f"left out: {sentences[i].text[:60]!r}: {reason}")
