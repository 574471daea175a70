"""`lingprobe run` and `lingprobe embed`: encode, fit, and show the table."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import typer

import lingprobe
from lingprobe.api.options import (
    EmbedOptions,
    ExperimentFile,
    JobsOptions,
    LanguageOptions,
    PlanOptions,
    ProbedOptions,
    RunOptions,
    SentencesOptions,
    ShardOptions,
)
from lingprobe.cli.declaration import command
from lingprobe.cli.options import (
    EncoderOptions,
    QuietOptions,
    ScorePageOptions,
    TrialOptions,
    collect_encoder_references,
    collect_repeated,
    collect_task_references,
    names_encoder,
    print_page,
    print_remark,
    print_safely,
)
from lingprobe.data.errors import UsageProblem

_SHOWN = 10  # sentences that could not be encoded


@dataclass(frozen=True, kw_only=True)
class RunCommand(
    RunOptions, ScorePageOptions, TrialOptions, LanguageOptions, EncoderOptions, ProbedOptions
):
    """The options of `lingprobe run`."""


@command(RunCommand)
def run(options: RunCommand) -> None:
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
    - `lingprobe run -t edge/dep:UD_English-EWT -e hf:bert-base-cased,layers=all,pool=none --layers
    mix --keep-scores -o results/`
    - `lingprobe run -t 'ud/*:UD_English-EWT' -m all-MiniLM-L6-v2 --dry-run`
    - `lingprobe run -t 'ud/*:UD_English-EWT' -m all-MiniLM-L6-v2 --limit 500`
    - `lingprobe run --suite ud2019:UD_English-EWT -e st:all-MiniLM-L6-v2`
    - `lingprobe run --suite ettinger2018:task_datasets -e bow:random`
    - `lingprobe run -t 'ud/*:UD_English-EWT' -m all-MiniLM-L6-v2 -o results/ --shard 3/16`
    """
    _check_format(options.style, options.suite)
    start = time.perf_counter()
    tasks = collect_task_references(options.tasks, options.languages)
    probed: dict[str, Any] = {
        "encoders": collect_encoder_references(options.encoders, options, tasks),
        "tasks": tasks,
    }
    if options.dry_run:
        print_safely(str(lingprobe.estimate(**probed, **options.select(PlanOptions))))
        return
    chosen = {**options.select(RunOptions), "progress": not options.quiet}
    done = lingprobe.run(**probed, **chosen)
    _say(done, options.style)
    where = f" {options.output}" if options.output else ""
    if options.cache and not options.output:
        where = f" {done.folder} --experiment last"
    again = f"lingprobe report{where}" + (f" --suite {options.suite}" if options.suite else "")
    counts = _format_counts(done, time.perf_counter() - start)
    print_remark(f"\n{counts}; `{again}` shows them again", options.quiet)
    if set(done.failures) - done.refused:
        raise typer.Exit(1)


@dataclass(frozen=True, kw_only=True)
class ExperimentCommand(
    ShardOptions, JobsOptions, QuietOptions, TrialOptions, ScorePageOptions, ExperimentFile
):
    """The options of `lingprobe experiment`."""


@command(ExperimentCommand)
def experiment(options: ExperimentCommand) -> None:
    """Run an experiment described in a TOML file, and show the table.

    Its keys are the arguments of `lingprobe.run` (`tasks`, `encoders`, `probes`, `controls`,
    `layers`, `seeds`, `output` and so on) and `models`, `device`, `batch_size` and `languages`. A
    copy with every default filled in is stored with the results. You can run the copy too, unless
    the experiment names code (`mine.py@thing`), which must be in the folder of the TOML file.

    **Examples**

    - `lingprobe experiment experiment.toml --dry-run`
    - `lingprobe experiment experiment.toml`
    """
    start = time.perf_counter()
    asked = lingprobe.read_experiment(options.file)
    _check_format(options.style, asked.settings.get("suite"))
    if options.dry_run:
        print_safely(str(asked.estimate()))
        return
    done = asked.run(jobs=options.jobs, progress=not options.quiet, shard=options.shard)
    _say(done, options.style)
    where = asked.settings["output"]
    counts = _format_counts(done, time.perf_counter() - start)
    print_remark(f"\n{counts}; all of it is in {where}", options.quiet)
    if set(done.failures) - done.refused:
        raise typer.Exit(1)


def _say(done: lingprobe.Evaluation, style: str) -> None:
    """Print the table of a run, and its remarks."""
    for text in done.remarks:
        print_remark(text)
    if done.results:
        print_page(done.page, style)
    else:
        print_remark("nothing could be measured:")
    for text in done.problems:
        print_remark(text)


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


def _format_counts(done: lingprobe.Evaluation, seconds: float) -> str:
    known = len(done.results) - done.fresh
    return f"{done.fresh:,} trials measured, {known:,} measured before, {seconds:.1f} s"


@dataclass(frozen=True, kw_only=True)
class EmbedCommand(EmbedOptions, EncoderOptions, SentencesOptions):
    """The options of `lingprobe embed`."""


@command(EmbedCommand)
def embed(options: EmbedCommand) -> None:
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
    corpus, encoder = collect_repeated(options.corpora), collect_repeated(options.encoders)
    more = [each for each in corpus if encoder and names_encoder(each)]
    corpora = [each for each in corpus if each not in more]
    listing = options.output
    sentences = lingprobe.sentences(corpora, options.tasks, output=listing, cache=options.cache)
    if listing:
        print_remark(f"{listing}: {len(sentences):,} sentences", options.quiet)
        return
    chosen = {**options.select(EmbedOptions), "progress": not options.quiet}
    chosen["encoders"] = collect_encoder_references([*encoder, *more], options)
    for reference, each in lingprobe.embed(sentences, **chosen).items():
        print_remark(
            f"{reference}: {each.encoded:,} sentences encoded, {each.cached:,} already stored,"
            f" {each.seconds:.1f} s",
            options.quiet,
        )
        for i, reason in each.problems[:_SHOWN]:
            print_remark(f"skipped: {sentences[i].text[:60]!r}: {reason}")
