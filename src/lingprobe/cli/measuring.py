"""`lingprobe run` and `lingprobe embed`: encode, fit, and show the table."""

from __future__ import annotations

import time
from typing import Literal

import typer

import lingprobe
from lingprobe.cli.declaration import Arguments, argument, command, option
from lingprobe.cli.options import (
    BATCH_SIZE,
    CACHE,
    DEVICE,
    DRY_RUN,
    ENCODERS,
    JOBS,
    MODELS,
    MORE,
    ON_ERROR,
    PROJECT,
    QUIET,
    SHARD,
    SPEED,
    STORE,
    STYLE,
    SUITE,
    TASKS,
    TO_FOLDER,
    Style,
    as_list,
    echo,
    encoders_of,
    names_encoder,
    remark,
    show,
    tasks_of,
)
from lingprobe.data.errors import UsageProblem

SHOWN = 10  # sentences that could not be encoded


@command(
    "run",
    TASKS,
    MODELS,
    ENCODERS,
    TO_FOLDER,
    option("limit", metavar="N", least=3),
    DRY_RUN,
    option("probes", "--probe", metavar="PROBE", complete="probes"),
    option("seeds", metavar="N", least=1),
    option("controls", "--control", metavar="CONTROL", complete="controls"),
    option("reads", "--read", metavar="READ"),
    option(
        "language",
        "-l",
        metavar="LANGUAGE",
        help=(
            "Run tasks (`-t ud/tense`, without data) on all treebanks of a language (pol, pl,"
            " Polish) in the working folder, or in $LINGPROBE_TREEBANKS; may be repeated."
        ),
    ),
    SUITE,
    STYLE,
    QUIET,
    DEVICE,
    option("probe_device", metavar="DEVICE", panel=SPEED),
    BATCH_SIZE,
    JOBS,
    SHARD,
    CACHE,
    STORE,
    PROJECT,
    option("memory", metavar="SIZE", panel=SPEED),
    option("bounds", panel=MORE),
    option("copies", panel=MORE),
    option(
        "keep",
        help=(
            "Also store the probe's scores of all labels, for V-information, calibration and"
            " `lingprobe predictions` (2 bytes per example and label)."
        ),
        panel=MORE,
    ),
    ON_ERROR,
    option("reproducible", panel=MORE),
    option("log_to", metavar="TRACKER", panel=MORE),
)
def run(
    given: Arguments,
    *,
    model: list[str] | None = None,
    dry_run: bool = False,
    language: list[str] | None = None,
    style: Style = "terminal",
    quiet: bool = False,
    device: str | None = None,
    batch_size: int | None = None,
    keep: Literal["scores"] | None = None,
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
    output, suite, cache = map(given.get, ("output", "suite", "cache"))
    _check_format(style, suite)
    start = time.perf_counter()
    tasks = tasks_of(given.get("tasks"), language) or None
    encoders = encoders_of(given.get("encoders"), model, device, batch_size, quiet, tasks) or None
    settings = {**given, "encoders": encoders, "tasks": tasks}
    if dry_run:
        planned = {
            k: v
            for k, v in settings.items()
            if k not in ("jobs", "shard", "reproducible", "log_to")
        }
        echo(str(lingprobe.estimate(**planned)))
        return
    done = lingprobe.run(**settings, keep_scores=keep == "scores", progress=not quiet)
    _say(done, style)
    where = f" {output}" if output else f" {done.folder} --experiment last" if cache else ""
    again = f"lingprobe report{where}" + (f" --suite {suite}" if suite else "")
    remark(f"\n{_counts(done, time.perf_counter() - start)}; `{again}` shows them again", quiet)
    if set(done.failures) - done.refused:
        raise typer.Exit(1)


@command("read_experiment run", argument("file", "FILE"), JOBS, STYLE, DRY_RUN, SHARD, QUIET)
def experiment(
    given: Arguments, *, style: Style = "terminal", dry_run: bool = False, quiet: bool = False
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
    asked = lingprobe.read_experiment(given["file"])
    _check_format(style, asked.settings.get("suite"))
    if dry_run:
        echo(str(asked.estimate()))
        return
    done = asked.run(jobs=given["jobs"], progress=not quiet, shard=given.get("shard"))
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


@command(
    "sentences embed",
    argument("corpora", "CORPUS", kind=list[str]),
    TASKS,
    ENCODERS,
    MODELS,
    DEVICE,
    BATCH_SIZE,
    option(
        "output",
        "--list",
        metavar="FILE",
        help="Write the sentences to FILE instead of encoding.",
    ),
    CACHE,
    STORE,
    PROJECT,
    SHARD,
    QUIET,
)
def embed(
    given: Arguments,
    *,
    model: list[str] | None = None,
    device: str | None = None,
    batch_size: int | None = None,
    quiet: bool = False,
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
    corpus, encoder = as_list(given.get("corpora")), as_list(given.get("encoders"))
    more = [each for each in corpus if encoder and names_encoder(each)]
    corpora = [each for each in corpus if each not in more]
    cache, listing = given.get("cache"), given.get("output")
    sentences = lingprobe.sentences(corpora, given.get("tasks"), output=listing, cache=cache)
    if listing:
        remark(f"{listing}: {len(sentences):,} sentences", quiet)
        return
    encoders = encoders_of([*encoder, *more], model, device, batch_size, quiet) or None
    how = {k: v for k, v in given.items() if k in ("cache", "store", "project", "shard")}
    done = lingprobe.embed(sentences, encoders, **how, progress=not quiet)
    for reference, each in done.items():
        remark(
            f"{reference}: {each.encoded:,} sentences encoded, {each.cached:,} already stored,"
            f" {each.seconds:.1f} s",
            quiet,
        )
        for i, reason in each.problems[:SHOWN]:
            remark(f"skipped: {sentences[i].text[:60]!r}: {reason}")
