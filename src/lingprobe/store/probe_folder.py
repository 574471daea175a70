"""A trained probe in a folder: numbers as safetensors, facts as JSON, a card for readers.

    probe.safetensors  weights [outputs, features], bias [outputs], float64; cuts [outputs] of label
                       sets; margins of dev and test with their classes, of two classes
    probe.json         what it was trained on, what it reads, how it scored
    README.md          the card

Nothing in the folder is run. Both files are looked at before they are decoded: how large they are,
and whether the header of the numbers fits them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.damage import report_damage
from lingprobe.corpora.strict import parse_json_bytes
from lingprobe.corpora.tensor_files import TENSOR_TYPES, locate_tensors
from lingprobe.data.cache import format_bytes, open_draft, write_text
from lingprobe.data.core import DataProblem
from lingprobe.data.digests import digest_texts
from lingprobe.data.notes import EMPTY_RECORD, NotePart

_NUMBERS_FILE, _FACTS_FILE, _CARD_FILE = "probe.safetensors", "probe.json", "README.md"
_PROBE_FORMAT = 1
_FACTS_BYTES, _NUMBERS_BYTES = 2**24, 2**33  # at most
_ARRAYS: Mapping[str, tuple[str, int]] = {
    "weights": ("F64", 2),
    "bias": ("F64", 1),
    "cuts": ("F64", 1),
    "dev_margins": ("F64", 1),
    "dev_positive": ("U8", 1),
    "test_margins": ("F64", 1),
    "test_positive": ("U8", 1),
    "test_clusters": ("I64", 2),
}
"""The arrays of a probe by name, with their type and number of dimensions."""
_NEEDED = ("weights", "bias")


@dataclass(frozen=True, slots=True)
class EncoderFacts(NotePart):
    """The encoder whose vectors a probe reads.

    reference  as it is written; of an object the name that it had
    is_object  whether it was handed over as an object, which no reference makes again
    identity   what decides its vectors: code, files, precision
    revision   the commit or a digest of the model's files
    read_as    what it reads of a text, with {sentence} in its place; '' for the text itself
    view       how units of a text become one vector
    width      numbers of a vector that the probe reads
    """

    reference: str = ""
    is_object: bool = False
    identity: str = ""
    revision: str = ""
    read_as: str = ""
    view: str = "mean"
    width: int = 0


@dataclass(frozen=True, slots=True)
class TaskFacts(NotePart):
    """The data that a probe was trained on.

    tested    a digest that stands for the test examples
    of_texts  whether an example is one whole text
    """

    reference: str = ""
    question: str = ""
    identity: str = ""
    tested: str = ""
    train: int = 0
    dev: int = 0
    test: int = 0
    of_texts: bool = True


@dataclass(frozen=True, slots=True)
class SubgroupScore(NotePart):
    """The score of some of the test examples, with its 95 % interval, in percent where the metric
    is.
    """

    name: str = ""
    score: float = math.nan
    low: float = math.nan
    high: float = math.nan
    n: int = 0


@dataclass(frozen=True, slots=True)
class ClassConfusion(NotePart):
    """How many test examples of a class were taken for another."""

    gold: str = ""
    predicted: str = ""
    n: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class ProbeFacts(NotePart):
    """All that is said of a trained probe beside its numbers.

    kind        of labels: classes, sets or scores
    labels      the names of the outputs, in order
    positive    of two classes the rarer; '' of other labels
    layer       what of the encoder is read
    choice      what was chosen on dev, as the probe says it
    score       on its own test examples, with the interval
    all_folds   the score over all folds, of one fold's probe
    baselines   scores of baselines on the same test examples
    """

    format: int = _PROBE_FORMAT
    version: str = ""
    date: str = ""
    kind: Literal["classes", "sets", "scores"] = "classes"
    labels: tuple[str, ...] = ()
    positive: str = ""
    layer: str = "-"
    probe: str = ""
    choice: Mapping[str, Any] = EMPTY_RECORD
    metric: str = ""
    score: SubgroupScore = SubgroupScore()
    all_folds: SubgroupScore | None = None
    baselines: tuple[SubgroupScore, ...] = ()
    subgroups: tuple[SubgroupScore, ...] = ()
    confusions: tuple[ClassConfusion, ...] = ()
    encoder: EncoderFacts = EncoderFacts()
    task: TaskFacts = TaskFacts()

    def plain(self) -> dict[str, Any]:
        """The facts as JSON has them; a number that is none is not written."""
        return {
            name: _convert_to_json(each) for name, each in asdict(self).items() if each is not None
        }

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> ProbeFacts:
        """The facts that `plain` wrote. TypeError or KeyError for what is none."""
        read = dict(values)
        for name, kind in _INNER.items():
            if name in read:
                read[name] = kind.read(_check_type(read[name], Mapping))
        for name, kind in _LISTED.items():
            read[name] = tuple(kind.read(_check_type(each, Mapping)) for each in read.get(name, ()))
        read["labels"] = tuple(_check_type(name, str) for name in read["labels"])
        known = {f.name for f in fields(cls)}
        return cls(**{name: value for name, value in read.items() if name in known})


_INNER: Mapping[str, type[NotePart]] = MappingProxyType(
    {
        "encoder": EncoderFacts,
        "task": TaskFacts,
        "score": SubgroupScore,
        "all_folds": SubgroupScore,
    }
)
_LISTED: Mapping[str, type[NotePart]] = MappingProxyType(
    {"baselines": SubgroupScore, "subgroups": SubgroupScore, "confusions": ClassConfusion}
)


def _convert_to_json(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Mapping):
        return {
            str(name): _convert_to_json(each) for name, each in value.items() if not _is_nan(each)
        }
    if isinstance(value, tuple | list):
        return [_convert_to_json(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _check_type(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.40} is not of the type that is expected")
    return value


@dataclass(frozen=True)
class StoredProbe:
    """A probe as it is kept: facts, and arrays by name."""

    facts: ProbeFacts
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Stands for the numbers and the facts."""
        facts = json.dumps(self.facts.plain(), sort_keys=True)
        numbers = (
            f"{k} {v.shape} {v.tobytes().hex()}" for k, v in sorted(self._convert_arrays().items())
        )
        return digest_texts(facts, *numbers)

    def _convert_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays in the types of the file."""
        return {
            name: np.ascontiguousarray(array, TENSOR_TYPES[_ARRAYS[name][0]])
            for name, array in self.arrays.items()
        }

    def check_free(self, folder: Path) -> None:
        """Refuse a folder that has files which are no probe's. DataProblem."""
        own = {_NUMBERS_FILE, _FACTS_FILE, _CARD_FILE}
        if folder.is_file() or folder.suffix in (".json", ".safetensors"):
            raise DataProblem(f"{folder}: a probe is a folder: name one, as {folder.stem}/")
        names = {path.name for path in folder.glob("*")} if folder.is_dir() else set()
        others = names - own if _FACTS_FILE in names else names
        if others:
            raise DataProblem(f"{folder} has other files, as {min(others)}: name a new folder")

    def write(self, folder: Path, card: str) -> None:
        """Write it to a folder, which is made. FileProblem for a full disk and the like."""
        from safetensors.numpy import save

        facts = {**self.facts.plain(), "digest": self.digest}
        with open_draft(folder / _NUMBERS_FILE) as draft:
            draft.write_bytes(save(self._convert_arrays()))
        text = json.dumps(facts, ensure_ascii=False, indent=1, allow_nan=False)
        write_text(folder / _FACTS_FILE, text + "\n")
        write_text(folder / _CARD_FILE, card)


def read_probe(folder: Path) -> StoredProbe:
    """The probe in a folder. DataProblem where there is none, and for files that are damaged, too
    large, of a later version, or do not belong together.
    """
    place = folder / _FACTS_FILE
    if not place.is_file():
        raise DataProblem(
            f"{folder} has no {_FACTS_FILE}, so it is no trained probe: `lingprobe probe keep` or"
            " TrainedProbe.save writes one"
        )
    _check_size(place, _FACTS_BYTES)
    with report_damage(place, "the facts of a probe"):
        values = _check_type(parse_json_bytes(place.read_bytes(), place), Mapping)
        version = _check_type(values["format"], int)
        if version > _PROBE_FORMAT:
            raise DataProblem(
                f"{place} has format {version}, and this version of lingprobe reads up to"
                f" {_PROBE_FORMAT}: update lingprobe"
            )
        facts = ProbeFacts.read(values)
    found = StoredProbe(facts, _read_arrays(folder / _NUMBERS_FILE))
    _check_shapes(found, folder)
    if found.digest != values.get("digest"):
        raise DataProblem(
            f"{folder} was changed: its numbers and facts are not those that were written together"
        )
    return found


def _check_size(path: Path, most: int) -> None:
    """Refuse a file that is missing, or larger than such files are. DataProblem."""
    if not path.is_file():
        raise DataProblem(f"{path} is missing: copy the whole folder of the probe")
    if (many := path.stat().st_size) > most:
        raise DataProblem(
            f"{path} has {format_bytes(many)}, and such a file has at most {format_bytes(most)}"
        )


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays in a file, once its header is known to fit it."""
    _check_size(path, _NUMBERS_BYTES)
    with report_damage(path, "the numbers of a probe"):
        arrays = {}
        for name, place in locate_tensors(path).items():
            if name not in _ARRAYS:
                raise ValueError(f"an array {name!r:.40}, which a probe does not have")
            kind, dimensions = _ARRAYS[name]
            if place.kind != kind or len(place.shape) != dimensions:
                raise ValueError(f"{name} of {place.kind} and shape {list(place.shape)}")
            array = np.array(place.map_from(path))
            if kind == "F64" and not np.isfinite(array).all():
                raise ValueError(f"{name} has numbers that are not finite")
            arrays[name] = array
        return arrays


def _check_shapes(found: StoredProbe, folder: Path) -> None:
    """Refuse numbers that do not fit the facts."""
    outputs, width = len(found.facts.labels), found.facts.encoder.width
    expected = {"weights": (outputs, width), "bias": (outputs,), "cuts": (outputs,)}
    lacking = [name for name in _NEEDED if name not in found.arrays]
    for name, shape in expected.items():
        array = found.arrays.get(name)
        if lacking or (array is not None and array.shape != shape):
            shown = f"no {lacking[0]}" if lacking else f"{name} of shape {list(array.shape)}"  # type: ignore[union-attr]
            raise DataProblem(
                f"{folder}: {shown} for {outputs} labels and {width} dimensions: the files do not"
                " belong together"
            )
