"""The card of data sets for the hub: README.md with the head that the hub reads, and for people the
source, the rules, what the sets consist of, baselines and upper bound, use, and how they are built
again (https://huggingface.co/docs/hub/datasets-cards).
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lingprobe.audit.findings import Audit
from lingprobe.audit.page import audit_tables
from lingprobe.data.digests import checksum_file
from lingprobe.data.references import Reference
from lingprobe.datasets.formats.hub_folder import HUB_SPLIT_NAMES
from lingprobe.tables.markup import format_markdown
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)
from lingprobe.tasks.terms import DataSource

DATA_CARD_FILE, CHECKSUM_FILE = "README.md", "SHA256SUMS"
ONLY_CONFIG_AND_FOLDER = (
    "default",
    "data",
)  # what the hub calls the only set of a folder, and where it looks for it
_LICENCES = re.compile(
    r"apache-2\.0|mit|cc0-1\.0|cc-by-(2\.0|2\.5|3\.0|4\.0)|cc-by-sa-[34]\.0|cc-by-nc-[234]\.0"
    r"|cc-by-nc-nd-4\.0|cc-by-nc-sa-[234]\.0|gpl-[23]\.0|lgpl-lr"
)
"""Licences as the hub calls them; any other is `other` there."""
_SIZES = ("set", *HUB_SPLIT_NAMES.values(), "bytes", "metric", "best baseline, %", "upper bound, %")
_USE = (
    "For probing: a classifier is trained on frozen vectors of the examples, and its score on the"
    " test set shows how well the property is decodable from the vectors. Interpret a score in"
    " relation to the baselines and the upper bound below, and to other vectors scored on the same"
    " examples.",
    "Not for training or tuning encoders: vectors that were fitted to these labels score high"
    " without any knowledge of language.",
)
_TOOLS = {
    "mteb": "Without lingprobe: `python mteb_tasks.py MODEL` scores sentences with classes by"
    " mteb.",
    "lm-eval": "Without lingprobe: `lm_eval --model hf --model_args pretrained=MODEL --include_path"
    " . --tasks lingprobe` counts how often the better text of a pair is more probable.",
}
_COLUMNS = (
    ("label, labels", "the class, the score, or the set of classes"),
    ("text, words", "the sentence, and its words, which spans count; text2, words2: the second"),
    ("start, stop", "the words that the label is about, the stop behind the last"),
    ("asked", "the words that the task asks about"),
    ("weights", "the weight of each label"),
    ("strata.NAME", "a tag to report scores by"),
)


class UpperBound(NamedTuple):
    """What a probe scores by some vectors, in percent, with a 95 % interval."""

    by: str
    score: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class HubSet:
    """A data set in a folder of the hub.

    config       what it is called there; its files are in the folder `place`
    task         the task without what stands for it on this machine alone
    is_reference whether that builds it again, or it was made of data in memory
    question     what is asked
    read_back    the reference by which its files are read
    sources      what it was made of; inputs: the files that were read, with their SHA-256
    files        what was written: name -> examples
    ceiling      what a probe scores on the annotation, or why that is not known
    tool         the other program that can run it; '' for none
    largest_class  how many training examples the commonest class has
    """

    config: str
    place: str
    task: str
    is_reference: bool
    question: str
    read_back: str
    sources: Sequence[DataSource]
    inputs: Mapping[str, str]
    files: Mapping[str, int]
    audit: Audit
    ceiling: UpperBound | str
    tool: str
    largest_class: int

    @property
    def is_alone(self) -> bool:
        """Whether it is the only set of its folder."""
        return self.config == ONLY_CONFIG_AND_FOLDER[0]


def checksum_files(folder: Path, names: Iterable[str]) -> str:
    """The SHA-256 of files of a folder, as `sha256sum --check` reads them."""
    return "".join(f"{checksum_file(folder / name)}  {name}\n" for name in names)


def card_text(folder: Path, sets: Sequence[HubSet], licence: str) -> str:
    """The card of the sets whose files lie in a folder; `licence` is what the builder states, ''
    where the sources' own is open.
    """
    version = importlib.metadata.version("lingprobe")
    many = "A data set" if len(sets) == 1 else f"{len(sets)} data sets"
    parts = [
        f"# {folder.name}",
        f"{many} for probing sentence and token embeddings, built with lingprobe {version}.",
        *(_pipe(("set", "task", "source", "licence"), [_origin(each) for each in sets]),),
        _pipe(_SIZES, [_describe_set_size(folder, each) for each in sets], words=1),
        _licence_text(sets, licence),
        "## Use",
        *_USE,
        *(_TOOLS[tool] for tool in _list_distinct([each.tool] for each in sets) if tool),
        "## Columns",
        _pipe(("column", "content"), _COLUMNS),
    ]
    for each in sets:
        parts += _build_set_section(each)
    parts += ["## Build it again", *_again(folder.name, sets, licence, version)]
    return f"---\n{_head(sets, licence)}---\n\n" + "\n\n".join(parts) + "\n"


def _head(sets: Sequence[HubSet], licence: str) -> str:
    """What the hub reads, as YAML; strings are quoted as JSON has them, which YAML reads."""
    named = (
        [licence] if licence else _list_distinct(s.licences for each in sets for s in each.sources)
    )
    known = {name: _hub_licence(name) for name in named}
    lines = ["license:", *(f"- {name}" for name in dict.fromkeys(known.values()))]
    if others := [name for name, called in known.items() if called == "other"]:
        lines.append(f"license_name: {json.dumps(', '.join(others))}")
    if languages := _list_distinct(s.languages for each in sets for s in each.sources):
        lines += ["language:", *(f"- {json.dumps(code)}" for code in languages)]
    lines += ["tags:", "- probing", "- lingprobe", "configs:"]
    for each in sets:
        lines += [f"- config_name: {json.dumps(each.config)}", "  data_files:"]
        for name in each.files:
            path = json.dumps(f"{each.place}/{name}")
            lines += [f"  - split: {Path(name).stem}", f"    path: {path}"]
    return "\n".join(lines) + "\n"


def _list_distinct(lists: Iterable[Iterable[str]]) -> list[str]:
    """Each string once, in order."""
    return list(dict.fromkeys(text for texts in lists for text in texts))


def _hub_licence(name: str) -> str:
    """A licence as the hub calls it."""
    plain = re.sub(r"^gnu-", "", name.lower().replace(" ", "-"))
    return plain if _LICENCES.fullmatch(plain) else "other"


def _origin(each: HubSet) -> tuple[str, ...]:
    """What a set is made of."""
    names = _list_distinct([s.name] for s in each.sources)
    licences = _list_distinct([s.licence or "not stated"] for s in each.sources)
    return each.config, each.task, ", ".join(names), ", ".join(licences)


def _describe_set_size(folder: Path, each: HubSet) -> tuple[str, ...]:
    """How large a set is, and between which scores those of encoders are expected."""
    size = sum((folder / each.place / name).stat().st_size for name in each.files)
    sizes = (f"{each.files.get(f'{name}.parquet', 0):,}" for name in HUB_SPLIT_NAMES.values())
    floors = [100 * floor.score for floor in each.audit.floors.values()]
    scores = (
        format_number(max(floors)) if floors else "–",
        "–" if isinstance(each.ceiling, str) else format_number(each.ceiling.score),
    )
    return each.config, *sizes, f"{size:,}", each.audit.metric, *scores


def _licence_text(sets: Sequence[HubSet], licence: str) -> str:
    said = _list_distinct(
        [f"{s.name}: {s.licence or 'none is stated'}"] for e in sets for s in e.sources
    )
    own = f" Whoever built this states: {licence}." if licence else ""
    return f"**Licence.** Of the sources: {'; '.join(said)}.{own}"


def _build_set_section(each: HubSet) -> list[str]:
    """What is known of one set: the upper bound, and the audit with baselines, composition and
    counts.
    """
    known = each.ceiling
    if isinstance(known, str):
        ceiling = f"Not measured: {known}."
    else:
        interval = f"95 % interval {format_number(known.low)} to {format_number(known.high)}"
        ceiling = f"{format_number(known.score)} ({interval}, one fit), by vectors of {known.by}."
    rules = Reference.parse(each.task).name if each.is_reference else ""
    read_back = [
        f"`{each.task}`, which `{each.read_back}` reads back. `lingprobe tasks {rules}` describes"
        " the rules of the task; sentences that they exclude are counted below."
    ]
    return [
        f"## {each.config}: {each.question}",
        *(read_back if rules else ()),
        f"**Upper bound.** {ceiling}",
        "**Warnings**",
        *(format_markdown(table).strip() for table in audit_tables(each.audit, "")),
    ]


def _again(name: str, sets: Sequence[HubSet], licence: str, version: str) -> list[str]:
    """How the folder is built and checked."""
    inputs = {file: value for each in sets for file, value in each.inputs.items()}
    said = [_pipe(("input file", "SHA-256"), list(inputs.items()))] if inputs else []
    said.append(f"`sha256sum --check {CHECKSUM_FILE}` checks the files.")
    if not all(each.is_reference for each in sets):
        return ["It was built of data in the memory of its builder's machine.", *said]
    tasks = " ".join(shlex.quote(each.task) for each in sets)
    stated = f" --licence {shlex.quote(licence)}" if licence else ""
    build = f"    lingprobe build {tasks} --hub -o {shlex.quote(name)}{stated}"
    return [f"    pip install lingprobe=={version}\n{build}", *said]


def _pipe(head: Sequence[str], rows: Sequence[Sequence[str]], words: int | None = None) -> str:
    """A table in Markdown, of whose columns so many, or all, hold words."""
    section = TableSection("", tuple(map(tuple, rows)))
    return format_markdown(Table(tuple(head), (section,), frozenset(head[:words]))).strip()
