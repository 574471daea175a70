"""`sonde run` and `sonde embed`: encode, fit, and show the table."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sonde.cli import papers
from sonde.cli.corpora import sentences
from sonde.cli.options import (
    Bounds,
    Cache,
    Controls,
    Encoders,
    Keep,
    OnError,
    Output,
    Probes,
    Quiet,
    Reads,
    Reproducible,
    Store,
    Suite,
    Tasks,
    remark,
    settled,
    tolerant,
)

if TYPE_CHECKING:
    from sonde.experiment.plan import Plan
    from sonde.experiment.run import Outcome

EMBEDDED_TASKS = [f"ud/{name}:embedded" for name in ("sent-len", "passive", "tense")]
EMBEDDED_ENCODERS = ["untrained:bilstm-max,layers=1,hidden=128"]
SEEDS, EMBEDDED_SEEDS = 5, 3
SHOWN = 10  # sentences that could not be encoded


def run(
    task: Tasks = None,
    encoder: Encoders = None,
    suite: Suite = None,
    probe: Probes = None,
    control: Controls = None,
    read: Reads = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds", min=1, metavar="N", help="How often each probe is trained; 5 without."
        ),
    ] = None,
    bounds: Bounds = True,
    output: Output = None,
    cache: Cache = None,
    store: Store = "float32",
    keep: Keep = None,
    on_error: OnError = "raise",
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", min=1, help="How many processes fit probes beside each other."
        ),
    ] = 1,
    style: Annotated[
        Literal["terminal", "markdown", "csv", "latex", "mteb"],
        typer.Option("--format", help="How to show."),
    ] = "terminal",
    reproducible: Reproducible = False,
    quiet: Quiet = False,
) -> None:
    """Probe encoders on tasks, and show the table.

    What was measured before is not measured again, and a run that was stopped goes on where it was.
    Without a task and an encoder, sentences from a built-in grammar are probed: nothing is
    downloaded.

    **Examples**

    - `sonde run`
    - `sonde run -t 'ud/*:UD_English-EWT' -e st:all-MiniLM-L6-v2 -o results/`
    - `sonde run -t ud/tense:UD_Polish-PDB -e hf:bert-base-multilingual-cased,layers=all,pool=mean
      --probe logreg`
    - `sonde run -t ud/tense:UD_English-EWT -e npz:my_vectors.npz --control shuffled --seeds 10`
    - `sonde run -t edge/dep:UD_English-EWT -e hf:bert-base-cased,layers=all,pool=none --read mix
      --keep scores -o results/`
    - `sonde run --suite ud2019:UD_English-EWT -e st:all-MiniLM-L6-v2`
    - `sonde run --suite ettinger2018:task_datasets -e bow:random`
    """
    from sonde.experiment.places import Places
    from sonde.experiment.plan import BOUNDS, Wanted, plan
    from sonde.experiment.run import run as measured
    from sonde.experiment.runners import local

    start = time.perf_counter()
    settled(cache, reproducible)
    places = replace(Places.of(output, cache, store), scores=keep == "scores")
    built_in = not (task or encoder or suite)
    controls = control or (["shuffled"] if built_in else [])
    encoders, many = (
        encoder or ([] if suite else EMBEDDED_ENCODERS),
        seeds or (EMBEDDED_SEEDS if built_in else SEEDS),
    )
    if suite:
        asked = {
            "encoders": encoders,
            "controls": controls,
            "seeds": many,
            "reads": read or (),
            "on_error": on_error,
            "bounds": bounds,
        }
        made = plan(papers.wished(suite, [task, probe], style, **asked), places)
    else:
        tasks, beside = tolerant(task or EMBEDDED_TASKS, on_error), BOUNDS if bounds else ()
        made = plan(
            Wanted(tasks, encoders, probe or (), controls, many, read or (), beside), places
        )
    outcome = measured(made, places, local(jobs), progress=not quiet)
    _show(made, outcome, style, suite)
    remark(
        _summary(
            outcome,
            _again(output, places.results if cache else None, suite),
            time.perf_counter() - start,
        ),
        quiet,
    )
    if set(outcome.failures) - set(made.refused):
        raise typer.Exit(1)


def _show(made: Plan, outcome: Outcome, style: str, suite: str | None) -> None:
    from sonde.analysis.rows import without_fold
    from sonde.experiment.plan import together
    from sonde.pages import page, render
    from sonde.references import brief
    from sonde.tables.terminal import show
    from sonde.tasks import TASKS

    questions = {
        brief(TASKS, without_fold(reference)): task.question
        for reference, task in made.tasks.items()
    }
    if not outcome.results:
        remark("nothing could be measured:")
    elif suite:
        typer.echo(papers.shown(suite, outcome.results, style) or "", nl=False)
    elif style == "terminal":
        show(page(outcome.results, questions))
    else:
        typer.echo(render(outcome.results, style), nl=False)
    for those, reason in together(
        {name: why for name, why in outcome.failures.items() if name in made.refused}
    ):
        remark(f"refused: {those}: {reason}")
    for name, reason in outcome.failures.items():
        if name not in made.refused:
            remark(f"failed: {name}: {reason}")


def _again(output: Path | None, kept: Path | None, suite: str | None) -> str:
    """What `sonde report` shows the results with again, which lie in a folder of the user's or in a
    cache.
    """
    where = f" {output}" if output else f" {kept} --experiment last" if kept else ""
    return where + (f" --suite {suite}" if suite else "")


def _summary(outcome: Outcome, shown: str, seconds: float) -> str:
    known = len(outcome.results) - outcome.fresh
    return (
        f"\n{outcome.fresh:,} trials measured, {known:,} known already, {seconds:.1f} s; `sonde"
        f" report{shown}` shows them again"
    )


def embed(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(metavar="CORPUS", help="Treebanks, or text with a sentence a line."),
    ] = None,
    task: Tasks = None,
    encoder: Encoders = None,
    listing: Annotated[
        Path | None,
        typer.Option("--list", metavar="FILE", help="Write the sentences to FILE; encode nothing."),
    ] = None,
    cache: Cache = None,
    store: Store = "float32",
    quiet: Quiet = False,
) -> None:
    """Fill the cache of vectors ahead of a run, as on the one machine that has a GPU.

    With `--list`, the sentences that a run would encode are written instead, one a line: for
    vectors that you make elsewhere.

    **Examples**

    - `sonde embed -e st:all-MiniLM-L6-v2 UD_English-EWT UD_English-GUM`
    - `sonde embed -e hf:bert-base-cased,layers=all -t 'ud/*:UD_English-EWT'`
    - `sonde embed -t 'ud/*:UD_English-EWT' --list sentences.txt`
    """
    from sonde.cache import write_text
    from sonde.encoders import ENCODERS
    from sonde.encoders import make as made
    from sonde.experiment.bar import encoding_bar
    from sonde.experiment.embed import embed as embedded
    from sonde.experiment.keys import encoder_identity, vectors_key
    from sonde.experiment.places import Places

    settled(cache)
    places = Places.of(None, cache, store)
    found = sentences(corpus or [], task or [], places.cache)
    if listing:
        write_text(listing, "".join(" ".join(s.text.split()) + "\n" for s in found))
        remark(f"{listing}: {len(found):,} sentences", quiet)
        return
    kept = places.vector_store()
    for reference in encoder or EMBEDDED_ENCODERS:
        thing = made(reference)
        key = vectors_key(thing, encoder_identity(ENCODERS.canonical(reference), thing, store))
        with encoding_bar(thing.name, not quiet):
            done = embedded(thing, found, kept, key)
        remark(
            f"{reference}: {done.encoded:,} sentences encoded, {done.cached:,} known already,"
            f" {done.seconds:.1f} s",
            quiet,
        )
        for i, reason in done.problems[:SHOWN]:
            remark(f"left out: {found[i].text[:60]!r}: {reason}")
