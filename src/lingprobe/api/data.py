"""Data sets and what they are made of: built, audited, fetched, and judged by
people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, NamedTuple

from lingprobe.api.arguments import as_list, takes_options
from lingprobe.api.data_options import BuildOptions, FetchOptions, InspectOptions
from lingprobe.api.hub_data import write_hub
from lingprobe.api.measure import use_cache
from lingprobe.api.tables import tasks_given
from lingprobe.audit.findings import Audit
from lingprobe.audit.inspection import audit_dataset
from lingprobe.audit.page import audit_page
from lingprobe.corpora.universal import find_treebank, format_alternatives, suggest_treebanks
from lingprobe.data.cache import check_file_ending, write_text
from lingprobe.data.core import DataProblem, UnsplitTask
from lingprobe.data.errors import UsageProblem
from lingprobe.data.progress import show_progress
from lingprobe.data.references import Reference, allow_code
from lingprobe.datasets.formats.tables import choose_writing, write_dataset
from lingprobe.experiment.data import load_examples
from lingprobe.tables.page import Page
from lingprobe.tasks import TASKS
from lingprobe.tasks.find import expand_tasks
from lingprobe.tasks.released import catalogue, universal
from lingprobe.tasks.released.catalogue import Collection
from lingprobe.tasks.released.download import WebDownloader
from lingprobe.tasks.released.fetch import FetchedFile, FetchRequest, fetch_files, place_of


class BuiltDataset(NamedTuple):
    """A data set that was written: its files as a path or pattern, counts (examples by split, and
    what the format could not represent; for the hub examples by set), and the audit of each set.
    """

    path: Path
    counts: dict[str, int]
    audits: Mapping[str, Audit]

    @property
    def audit(self) -> Audit:
        """The audit of the first data set."""
        return next(iter(self.audits.values()))


@takes_options(BuildOptions)
def build(
    task: object,
    output: str | Path,
    *,
    format: Literal["parquet", "jsonl", "senteval", "jiant"] | None = None,
    hub: bool = False,
    licence: str | None = None,
    audit: str | Path | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> BuiltDataset:
    """Write the data set of a task to a file: Parquet, JSON lines, the TSV that SentEval reads, or
    one file per split, as jiant reads them; or those of several to a folder for the hub.

    DataProblem if the data lack what the task needs, the format cannot represent them, or they may
    not be shared; UsageProblem for conflicting options.

        print(lingprobe.build("ud/tense:UD_English-EWT", "tense.parquet").audit.problems)
    """
    if hub:
        if format is not None or audit is not None:
            raise UsageProblem("a folder for the hub is Parquet with its audit: leave both out")
        tasks = expand_tasks(tasks_given(task), on_error)
        audits = write_hub(tasks, Path(output), licence)
        return BuiltDataset(
            Path(output), {k: sum(a.sizes.values()) for k, a in audits.items()}, audits
        )
    if licence is not None:
        raise UsageProblem("a licence is stated in a folder for the hub alone: add hub (--hub)")
    check_file_ending(audit, ".md", ".txt")
    made, title = _make_task(task, on_error)
    choose_writing(output, format, view=made.view)  # before the work
    dataset = load_examples(made)
    counts = write_dataset(dataset, output, format)
    findings = audit_dataset(dataset, metric=made.metric, floors=audit is not None)
    if audit is not None:
        write_text(Path(audit), audit_page(findings, title).text("markdown"))
    path = Path(output)
    written = path.with_suffix(f".*{path.suffix}") if format == "jiant" else path
    return BuiltDataset(written, counts, {title: findings})


@takes_options(InspectOptions)
def inspect(
    task: object,
    *,
    sample: int = 20,
    seed: int = 0,
    on_error: Literal["raise", "skip"] = "raise",
    checks: str | Sequence[str] = (),
    cache: str | Path | None = None,
) -> Page[Audit]:
    """Audit the data set of a task: balance, scores without an encoder, repeated examples, forms in
    several splits, and rows to read. `.content` is the audit; printing it shows the tables.

    A released data set is read as published, even if splits are missing. DataProblem if the data
    cannot be read.

        print(lingprobe.inspect("ud/tense:UD_English-EWT").content.problems)
    """
    allow_code(*as_list(checks))
    with use_cache(cache):
        made, title = _make_task(task, on_error)
        dataset = made.all_examples() if isinstance(made, UnsplitTask) else made.load()
        found = audit_dataset(dataset, seed, sample, made.metric, checks=as_list(checks))
        return audit_page(found, title)


def collections(pattern: str | None = None) -> list[Collection]:
    """The published data sets that `fetch` downloads, with their files, papers, licences and pages.

    pattern  of names (default: all except the treebanks of Universal Dependencies, 'ud/*')

        for each in lingprobe.collections("ud/pl_*"):
            print(each.name, each.licence)
    """
    if pattern is None:
        return list(catalogue.read_collections().values())
    known = catalogue.read_collections().values()
    return [
        each for each in known if fnmatchcase(each.name, pattern)
    ] + universal.list_treebank_collections(pattern)


class FetchedCollection(NamedTuple):
    """Published files that were fetched: their folder, each file, and a remark on the source."""

    folder: Path
    files: list[FetchedFile]
    remark: str = ""


@takes_options(FetchOptions)
def fetch(
    name: str,
    output: str | Path | None = None,
    *,
    mirror: str | None = None,
    only: str = "*",
    progress: bool = False,
    before: Callable[[str], object] | None = None,
    each: Callable[[FetchedFile], object] | None = None,
) -> FetchedCollection:
    """Download a published data set. An interrupted download is resumed, files are checked, and
    existing files are never overwritten.

    folder  where to put it (default: where tasks look for it)
    before  called once, before the download, with what will be fetched: files, size, licence,
            address
    each    called with each file when it is complete
    DataProblem names the files that could not be fetched.

        lingprobe.fetch("ud/en_ewt")
    """
    to = Path(output).expanduser() if output else None
    with show_progress(
        progress, desc=f"fetch {name}", unit="B", unit_scale=True, leave=False
    ) as shown:
        wish = replace(_wish(name, to, mirror), only=only, web=WebDownloader(shown.update))
        if before is not None:
            before(str(wish))
        got = []
        for file in fetch_files(wish):
            got.append(file)
            if each is not None:
                each(file)
    told = universal.describe_treebank(wish) if wish.collection.kind == "treebank" else ""
    return FetchedCollection(wish.folder, got, told or wish.collection.remark)


def _wish(name: str, folder: Path | None, mirror: str | None) -> FetchRequest:
    """What to fetch under a name: a collection, or a treebank, whose files are listed now."""
    bank = None if name in catalogue.read_collections() else find_treebank(name)
    if bank is not None:
        return universal.list_treebank_files(
            universal.make_fetch_request(bank, folder, mirror), bank
        )
    if codes := suggest_treebanks(name):
        raise DataProblem(
            f"no treebank of Universal Dependencies is called {name!r}; did you mean"
            f" {format_alternatives(codes, 'ud/')}?"
        )
    chosen = catalogue.get_collection(name)
    return FetchRequest(chosen, folder or place_of(chosen), base=mirror)


def _make_task(task: object, on_error: str) -> tuple[Any, str]:
    """A task, and the title of pages about it."""
    every = expand_tasks(tasks_given(task), on_error)
    if len(every) != 1:
        raise UsageProblem(f"one task is expected here, and {len(every)} were given")
    (one,) = every
    if not isinstance(one, Reference):
        return one, f"{one.name}: {one.question}"
    made = TASKS.make(one)
    return made, f"{one}: {made.question}"
