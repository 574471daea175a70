"""What a submission says of each model: one line of JSON, of which what results tell is checked
against them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import prod
from pathlib import Path
from typing import Any, Literal, get_args

from lingprobe import DataProblem, LingprobeError, Result
from lingprobe.extend import SavedModel, checksum_file, get_contents, set_environment
from lingprobe_extensions.board.frame import digest_strings

_FORMAT = 1
_COUNTERS = frozenset({"I64", "BOOL"})  # positions and masks, which are no parameters
_PACKED = frozenset({"U8", "I8", "I16", "I32", "U16", "U32"})  # several parameters in a number
Declared = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True)
class ModelLine:
    """What is said of one model.

    name        what tables call it; encoder: its reference in the results
    identity    the text that decides its vectors, and a digest or commit of its files (`revision`)
    parameters  how many it has; None where that is not known
    layers      those that were measured
    files       SHA-256 of each of its files; {} where they could not be read
    versions    of packages; code: a digest of the code of each thing that decides numbers
    declared    trained_on_ud, trained_on_sources: yes, no or unknown
    fits        how many rows of the results are of it
    mteb        scores of MTEB: model, revision, and percent by task; {} for none
    digest      of all the rest
    """

    name: str
    encoder: str
    identity: str
    revision: str
    parameters: int | None
    layers: tuple[str, ...]
    files: Mapping[str, str]
    versions: Mapping[str, str]
    code: Mapping[str, str]
    declared: Mapping[str, str]
    fits: int
    mteb: Mapping[str, Any]
    format: int = _FORMAT
    digest: str = ""

    def seal(self) -> str:
        """The digest of all other fields."""
        return digest_strings(json.dumps({**asdict(self), "digest": ""}, sort_keys=True))

    def text(self) -> str:
        """The line."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"


def facts_told_by(results: Sequence[Result]) -> dict[str, Any]:
    """What the results of one model say of it, by field."""
    made = [one.provenance for one in results]
    pairs = {pair for each in made for pair in each.identities.items()}
    codes = {kind: sorted({_code(text) for k, text in pairs if k == kind}) for kind, _ in pairs}
    versions = {name: value for each in made for name, value in each.versions.items()}
    return {
        "identity": _one({each.identity("encoder", "") for each in made}),
        "revision": _one({each.revision for each in made}),
        "layers": tuple(sorted({one.trial.read for one in results}, key=layer_order)),
        "versions": dict(sorted(versions.items())),
        "code": {kind: digest_strings(*several) for kind, several in sorted(codes.items())},
        "fits": len(results),
    }


def layer_order(layer: str) -> tuple[bool, int, str]:
    """What layers are sorted by: numbers first, as numbers."""
    return not layer.isdecimal(), len(layer) if layer.isdecimal() else 0, layer


def _one(texts: set[str]) -> str:
    if len(texts) > 1:
        raise DataProblem(
            "its results are of several states of the model or of lingprobe's code: measure all of"
            " them again, or submit those of one state"
        )
    return next(iter(texts), "")


def _code(identity: str) -> str:
    """The digest of code in an identity; the whole of one that has none."""
    try:
        return str(json.loads(identity)[1])
    except (ValueError, LookupError, TypeError):
        return identity


def files_and_size(encoder: str, *, hashes: bool) -> tuple[dict[str, str], int | None]:
    """The hashes of a model's files, if they are asked for, and how many parameters it has, where
    they lie here and its code may run; nothing is fetched.
    """
    try:
        with set_environment("LINGPROBE_OFFLINE", "1"):
            made = get_contents("encoders").make(encoder)
            if not isinstance(made, SavedModel):
                return {}, None
            folder, is_packed = (
                made.files.folder,
                {"quantization_config", "compression_config"} & made.configuration.keys(),
            )
        paths = sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
        files = {p.relative_to(folder).as_posix(): checksum_file(p) for p in paths if hashes}
        return files, None if is_packed else count_parameters(folder)
    except (LingprobeError, ImportError, OSError, ValueError):
        return {}, None


def count_parameters(folder: Path) -> int | None:
    """How many numbers the weights in a model's folder are, as the headers of safetensors say
    (https://huggingface.co/docs/safetensors); None where there are none, or packed ones.
    """
    shapes: list[Sequence[int]] = []
    for file in sorted(folder.rglob("model*.safetensors")):
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            header = json.loads(opened.read(min(length, file.stat().st_size)))
        header.pop("__metadata__", None)
        if {each["dtype"] for each in header.values()} & _PACKED:
            return None
        shapes += [each["shape"] for each in header.values() if each["dtype"] not in _COUNTERS]
    return sum(map(prod, shapes)) or None


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict) and _is_texts([*value.values()])


def _is_mteb(said: Any) -> bool:
    if said == {}:
        return True
    if not isinstance(said, dict) or set(said) != {"model", "revision", "scores"}:
        return False
    scores = said["scores"]
    are_numbers = isinstance(scores, dict) and all(type(v) in (int, float) for v in scores.values())
    return are_numbers and _is_texts([said["model"], said["revision"]])


_IS_OF: Mapping[str, Callable[[Any], bool]] = {
    "str": lambda value: isinstance(value, str),
    "int": lambda value: type(value) is int,
    "int | None": lambda value: value is None or type(value) is int,
    "tuple[str, ...]": _is_texts,
    "Mapping[str, str]": _is_mapping,
    "Mapping[str, Any]": _is_mteb,
}
"""Whether a value of JSON is of the type of a field."""


def read_lines(path: Path) -> list[ModelLine]:
    """The lines of a file; DataProblem with the number of one that is not what is written here."""
    lines = []
    for number, text in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        try:
            lines.append(_parse_model_line(json.loads(text)))
        except (ValueError, RecursionError) as error:
            raise DataProblem(f"{path.name}, line {number}: {error}") from error
    return lines


def _parse_model_line(values: Any) -> ModelLine:
    types = {f.name: str(f.type) for f in fields(ModelLine)}
    if not isinstance(values, dict) or set(values) != set(types):
        raise ValueError(f"a model is a JSON object with {', '.join(types)}, and no other keys")
    if values["format"] != _FORMAT:
        raise ValueError(
            f"format {values['format']} is of another version of lingprobe: write it again with"
            " `lingprobe publish submit RESULTS -o FOLDER`"
        )
    for name, kind in types.items():
        if not _IS_OF[kind](values[name]):
            raise ValueError(f"{name} is {str(values[name])[:40]!r}, which it cannot be")
    if other := sorted(set(values["declared"].values()) - set(get_args(Declared))):
        raise ValueError(f"declared: {other[0]!r} is not yes, no or unknown")
    return ModelLine(**{**values, "layers": tuple(values["layers"])})
