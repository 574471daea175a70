"""Tasks as Python has them: frames, data sets, lists of texts and labels, files and references."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from lingprobe.api.arguments import as_list, is_missing, takes_options
from lingprobe.corpora.files import uncompressed_path
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Task
from lingprobe.data.digests import digest_texts
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.datasets.formats.folders import SPLIT_NAMES, TABLE_SUFFIXES
from lingprobe.datasets.formats.held_rows import (
    HeldRows,
    hold_columns,
    hold_frame,
    hold_lists,
    hold_objects,
    is_frame,
)
from lingprobe.datasets.formats.labelled_rows import Manner, digest_rows
from lingprobe.datasets.formats.usual_columns import Columns
from lingprobe.experiment.data import digest_examples
from lingprobe.tasks import TASKS
from lingprobe.tasks.held_table import Handling, Held, HeldTable

_NAMELESS = "data"  # with some digits of its content, so that other data have another name
_RIGHT = "give (texts, labels), a DataFrame, a file of a table, or a reference ('ud/tense:PATH')"


@runtime_checkable
class HasLoad(Protocol):
    """What looks like a task: it has a name, and loads."""

    @property
    def name(self) -> str: ...
    def load(self) -> Dataset:
        """The examples."""
        ...


@runtime_checkable
class HasEncode(Protocol):
    """What looks like an encoder."""

    def encode(self, texts: Any) -> Any: ...


@takes_options()
def table(
    data: Any,
    *,
    name: str | None = None,
    text: str | None = None,
    text2: str | None = None,
    label: str | None = None,
    span: str | None = None,
    span2: str | None = None,
    offsets: Literal["words", "characters"] | None = None,
    group: str | None = None,
    split: str | None = None,
    labels: Literal["classes", "scores", "sets"] | None = None,
    metric: str | None = None,
    probe: str = "linear",
    view: str | None = None,
    clusters: str | Sequence[str] = (),
    seed: int = 0,
    on_error: Literal["raise", "skip"] = "raise",
) -> Task:
    """A task from labelled rows in memory, for `run`, `evaluate`, `inspect` and `build`. These also
    take the rows; this function names columns. Columns with usual names are found.

    data          a DataFrame (pandas, polars), a table of pyarrow, a Dataset or DatasetDict of
                  `datasets`, a list of dictionaries, a dictionary of lists, a mapping of splits to
                  these, (texts, labels), or a `lingprobe.Dataset`; a text may be words, two texts,
                  or a conversation
    name          what tables call it (default: data- and digits of its content)
    text, text2   the columns of the text, or of two texts
    label, split  the columns of the label and of the split
    span, span2   the columns of the words that the label is about, as those words or as
                  [start, end]; two columns as 'START+END'
    offsets       what the numbers of spans count, 'words' or 'characters' (default: what fits)
    group         the column of what rows share, as a document: such rows are in one split
    labels        'classes', 'scores' or 'sets': what labels are
    metric, probe, view, clusters, seed, on_error  as for `table:FILE`
    The task is known by its content: a second run measures nothing again, other data are another
    task. DataProblem where columns are not clear, or texts have no labels; UsageProblem for a
    file.

        frame = pandas.read_csv("reviews.csv")
        lingprobe.evaluate("length", lingprobe.table(frame, text="review", label="stars"))
    """
    columns = {
        "text": text,
        "text2": text2,
        "label": label,
        "span": span,
        "span2": span2,
        "group": group,
        "split": split,
    }
    if isinstance(data, str | os.PathLike):
        options = tuple((key, value) for key, value in columns.items() if value)
        shown = Reference("table", str(data), options)
        raise UsageProblem(f"a file is a task by its reference: write {str(shown)!r}")
    named = Columns(**{option: column or "" for option, column in columns.items()})
    how = Manner(named, on_error=on_error, offsets=offsets or "")
    handling = Handling(
        how, labels, metric or "", probe, view or "", tuple(as_list(clusters)), seed
    )
    return _make(data, name, handling)


def tasks_given(argument: Any) -> list[Any]:
    """References and Task objects for one task or several, as people hand them over. UsageProblem
    for what is none, with what to write.
    """
    found = _several(argument)
    known: dict[str, HeldTable] = {}
    for each in found:
        if isinstance(each, HeldTable) and known.setdefault(each.name, each) != each:
            raise UsageProblem(
                f"two data sets are called {each.name!r}: give each its own name, as"
                " {'first': data, 'second': more}"
            )
    return found


def _several(argument: Any) -> list[Any]:
    """The tasks of an argument, in order."""
    if is_missing(argument):
        return []
    if _is_of_objects(argument):
        return _one(argument)
    if isinstance(argument, tuple) and len(argument) > 2 and all(map(_is_column, argument)):
        raise UsageProblem(
            f"{len(argument)} lists are not a task: give (texts, labels); of two texts"
            " ([*zip(first, second)], labels)"
        )
    if isinstance(argument, tuple) and len(argument) > 1 and all(map(_is_pair, argument)):
        raise UsageProblem(
            f"{len(argument)} pairs of (texts, labels) in a tuple: {{'train': (texts, labels),"
            " 'test': (texts, labels)} is one data set with its splits, and a list has several"
        )
    if isinstance(argument, list | tuple) and not _is_of_lists(argument):
        return [task for each in argument for task in _one(each)]
    return _one(argument)


def _one(thing: Any) -> list[Any]:
    """What one thing stands for: a mapping names several."""
    if _is_data(thing):
        return [_make(thing, None, Handling())]
    if isinstance(thing, Mapping) and thing:
        return [_name_data(name, data) for name, data in thing.items()]
    if isinstance(thing, os.PathLike):
        return [Reference("table", os.fspath(thing))]
    if isinstance(thing, str) and _is_text(thing):
        raise UsageProblem(
            f"{thing!r:.60} is a text and no task: texts need labels, as (texts, labels) in Python,"
            " or in a file, 'table:FILE'"
        )
    if not isinstance(thing, str | Reference | HasLoad) or isinstance(thing, type):
        raise UsageProblem(_refusal(thing))
    return [thing]


def _name_data(name: Any, data: Any) -> Task:
    if isinstance(data, str | os.PathLike | Reference):
        raise UsageProblem(
            f"{str(data)!r} needs no name; {name!r} can name a DataFrame or (texts, labels)"
        )
    if not _is_data(data):
        raise UsageProblem(
            f"{name!r} names a {type(data).__name__}, and a mapping names data: give"
            f" {{{name!r}: (texts, labels)}} or {{{name!r}: frame}}"
        )
    return _make(data, str(name), Handling())


def _make(data: Any, name: str | None, handling: Handling) -> HeldTable:
    """The task of some data, under a name that no reference has."""
    if name is not None and (_parse_name(name) != Reference(name) or name in TASKS.places()):
        raise UsageProblem(
            f"{name!r} cannot be the name of data: leave out colons, commas, stars and @, and take"
            " no name of a task"
        )
    rows = _hold(data, name or _NAMELESS)
    try:
        known = (
            _digest_dataset(rows) if isinstance(rows, Dataset) else digest_rows(rows, handling.how)
        )
        return HeldTable.of(rows, known, name or f"{_NAMELESS}-{known[:8]}", handling)
    except DataProblem as problem:
        option = re.search(r"\b(text|label|labels)=", str(problem))
        where = f" (in lingprobe.table(data, {option[0]}...))" if option else ""
        raise DataProblem(f"{problem}{where}") from None


def _hold(data: Any, name: str) -> Held:
    """The rows of some data, in a piece for each split. UsageProblem where they are none."""
    if isinstance(data, Dataset):
        return data
    if _is_of_splits(data):
        return tuple(_hold_part(data[key], name, split) for split, key in _splits(data))
    if _is_table(data):
        return (_hold_part(data, name, ""),)
    raise UsageProblem(_refusal(data))


def _hold_part(data: Any, name: str, split: str) -> HeldRows:
    if is_frame(data):
        return hold_frame(data, name, split)
    if _is_of_lists(data):
        return hold_lists(data, name, split)
    return (hold_columns if isinstance(data, Mapping) else hold_objects)(data, name, split)


def _splits(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The splits of a mapping in order, each with its key."""
    if other := [key for key in data if str(key).casefold() not in SPLIT_NAMES]:
        raise UsageProblem(
            f"{other[0]!r} beside 'train' is not a split (train, validation, test): leave it out"
        )
    named = [(SPLIT_NAMES[key.casefold()], key) for key in data]
    return sorted(named, key=lambda each: DATA_SPLITS.index(each[0]))


def _digest_dataset(dataset: Dataset) -> str:
    """What stands for a data set that somebody made."""
    strata = [f"{name} {tags.names} {tags.codes.tolist()}" for name, tags in dataset.strata.items()]
    return digest_texts(digest_examples(dataset), *strata, *dataset.clusters)


def _is_data(thing: Any) -> bool:
    """Whether something has rows of its own."""
    return isinstance(thing, Dataset) or _is_of_splits(thing) or _is_table(thing)


def _is_table(thing: Any) -> bool:
    """Whether something is rows without splits."""
    is_plain = is_frame(thing) or _is_of_lists(thing)
    return is_plain or _is_of_objects(thing) or _is_of_columns(thing)


def _is_of_objects(thing: Any) -> bool:
    """Whether something is a list of rows, each a mapping with the same first columns."""
    if not isinstance(thing, list) or len(thing) < 2:
        return False
    are_rows = all(isinstance(row, Mapping) and len(row) > 1 for row in thing)
    return are_rows and [*thing[0]][:1] == [*thing[1]][:1]


def _is_of_columns(thing: Any) -> bool:
    """Whether a mapping has columns that are equally long, and not several tasks."""
    if not isinstance(thing, Mapping) or len(thing) < 2 or "train" in thing:
        return False
    columns = list(thing.values())
    if all(map(_is_of_objects, columns)):  # tables of several names
        return False
    are_columns = all(_is_column(each) and not _is_of_lists(each) for each in columns)
    return are_columns and len({len(each) for each in columns}) == 1


def _is_of_splits(thing: Any) -> bool:
    """Whether a mapping has rows for splits, train among them, and so is one data set."""
    if not isinstance(thing, Mapping) or "train" not in thing:
        return False
    return all(map(_is_table, thing.values()))


def _is_of_lists(thing: Any) -> bool:
    """Whether something is (texts, labels), and not several tasks."""
    return isinstance(thing, tuple) and len(thing) == 2 and all(map(_is_column, thing))


def _is_pair(thing: Any) -> bool:
    """Whether a tuple holds texts and as many labels."""
    if not (isinstance(thing, tuple) and len(thing) == 2 and all(map(_is_column, thing))):
        return False
    return len(thing[0]) == len(thing[1]) > 2


def _is_column(thing: Any) -> bool:
    is_other = isinstance(thing, str | bytes | Mapping | HasLoad | Dataset) or is_frame(thing)
    return isinstance(thing, Sized) and isinstance(thing, Iterable) and not is_other


def _is_text(thing: str) -> bool:
    """Whether a string is a sentence rather than a reference."""
    head, *rest = re.split("[:,]", thing.strip(), maxsplit=1)
    has_spaces = re.search(r"\s", head) or any(re.match(r"\s", each) for each in rest)
    is_table = uncompressed_path(Path(head)).suffix.lower() in TABLE_SUFFIXES
    return bool(has_spaces) and not is_table and not Path(thing).exists()


def _parse_name(name: str) -> Reference | None:
    return None if set(name) & set("*?[@%=") else try_parse_reference(name)


def _refusal(thing: Any) -> str:
    """That something is no task, and what to give."""
    plain = isinstance(thing, list | tuple | Mapping | type | str | int | float | None)
    shown = (
        " ".join(f"{thing!r:.60}".split()) if plain else f"an object of type {type(thing).__name__}"
    )
    if isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[0], str):
        name, data = thing
        if _is_data(data):
            return f"{shown} is not a task: a mapping names data, as {{{name!r}: data}}"
        return (
            f"{shown} is not a task: of pairs of text and label make (texts, labels), as"
            " zip(*pairs)"
        )
    if not isinstance(thing, type) and (callable(thing) or isinstance(thing, HasEncode)):
        return f"{shown} is an encoder, not a task: run takes the tasks first, evaluate the encoder"
    return f"{shown} is not a task: {_RIGHT}"
