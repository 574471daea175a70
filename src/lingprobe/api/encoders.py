"""References of encoders: of a model by its bare name, and with options for several at once."""

from __future__ import annotations

from collections.abc import Iterator, KeysView
from pathlib import Path
from typing import Any

from lingprobe.api.arguments import as_list
from lingprobe.corpora.files import uncompressed_path
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import (
    Reference,
    allow_code,
    try_parse_reference,
)
from lingprobe.data.suggestions import suggest_name
from lingprobe.datasets.formats.folders import TABLE_SUFFIXES
from lingprobe.datasets.formats.held_rows import is_frame
from lingprobe.encoders import ENCODERS, adapt_encoder
from lingprobe.encoders.adapters import is_adapter
from lingprobe.encoders.hub import ModelFiles, find_model_files
from lingprobe.nets.device import check_device_name
from lingprobe.tasks import TASKS
from lingprobe.tasks.about import find_task_description

_OTHER_FORMATS = (".gguf", ".ggml", ".onnx", ".tflite", ".h5", ".pt", ".pth", ".bin", ".mlmodel")
"""Endings of files with weights that transformers does not load by themselves."""
_VECTOR_FILES = {
    ".npz": "npz",
    ".npy": "npy",
    ".vec": "static",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
"""Encoders that read files of vectors, by their endings."""
_PICKLES = (".pkl", ".pickle", ".joblib")
_OF_WORDS = ("a word", "a span", "two spans")
"""What labels of tasks may be about that need a vector for each word piece."""
_ORGANISATION = "sentence-transformers"
_FILLED = {
    "batch_size": ("hf and st fill batches by tokens, not sentences: write st:NAME,tokens=2048")
}
"""What to write in place of options that encoders of lingprobe do not have."""


def model(name: str, tasks: Any = None) -> str:
    """The reference of a model, found from its name: 'st:NAME' for a model of
    sentence-transformers, or else 'hf:NAME' for transformers. A reference is returned unchanged.

    name   a name of the hub ('bert-base-cased', 'org/name@revision') or a folder; options may
           follow after a comma
    tasks  what the model will be measured on: where all are about words or spans, the reference is
           'hf:NAME,pool=none', whose vectors are of word pieces
    DataProblem for a model that is neither, or that cannot be downloaded.

        print(lingprobe.model("all-MiniLM-L6-v2"))
    """
    before = try_parse_reference(name)
    if before is not None and before.argument is not None and before.name in ENCODERS.places():
        return str(before)
    place, comma, options = name.partition(",")
    files = _find_hub_files(place)
    if (files.folder / "modules.json").is_file() or files.says("config_sentence_transformers.json"):
        kind = "st"
    elif files.says("config.json") or is_adapter(files):
        kind = "hf"
    else:
        raise DataProblem(
            f"{place} is not a model of sentence-transformers (no modules.json) or of transformers"
            " (no config.json)"
        )
    found = Reference.parse(f"{Reference(kind, place)}{comma}{options}")
    if _about_spans(tasks):
        unpooled = (("pool", "none"),) if "pool" not in dict(found.options) else ()
        found = Reference("hf", found.argument, (*found.options, *unpooled))
    return str(found)


def _is_table(name: str) -> bool:
    """Whether a text is the name of a file of a table."""
    path = Path(name)
    return uncompressed_path(path).suffix.lower() in TABLE_SUFFIXES and path.is_file()


def _about_spans(tasks: Any) -> bool:
    """Whether all tasks are about words or spans, as their names say, so that `-m MODEL` means its
    subwords (pool=none).
    """
    given = as_list(tasks)
    names = [try_parse_reference(each) if isinstance(each, str) else None for each in given]
    known = [find_task_description(one.name) if one else None for one in names]
    return bool(given) and all(one is not None and one.unit in _OF_WORDS for one in known)


def make_reference(source: Any, tasks: Any = None) -> Any:
    """The reference of a model, where something is but its name or its folder; all else stays as it
    is. UsageProblem for data.
    """
    if isinstance(source, Path):
        source = str(source)
    if is_frame(source) or (isinstance(source, str) and Path(source).is_file()):
        _refuse_file(source)
    if not isinstance(source, str) or (parsed := try_parse_reference(source)) is None:
        return source
    name = parsed.name
    if name in [*ENCODERS.places(), *TASKS.places()] or ".py@" in name:
        return source
    if not Path(name).exists() and suggest_name("encoder", name, ENCODERS.places()):
        return source  # mistyped, or by another name
    if (suffix := Path(name).suffix.lower()) in _OTHER_FORMATS:
        raise DataProblem(
            f"{name!r} has weights in {suffix}, which lingprobe does not run: name the folder of"
            " the model with its safetensors, or serve it and name the server, api:URL"
        )
    try:
        return model(source, tasks)
    except DataProblem as problem:
        raise DataProblem(f"no encoder is called {name!r}, and {problem}") from None


def _refuse_file(thing: Any) -> None:
    """UsageProblem for data, and for files of vectors without what reads them."""
    suffix = uncompressed_path(Path(thing)).suffix.lower() if isinstance(thing, str) else ""
    reader = _VECTOR_FILES.get(suffix, "")
    if suffix in _PICKLES:
        raise UsageProblem(
            f"{thing!r} is a pickle, which could run code and is not read: write vectors as npz"
            " (numpy.savez, with arrays 'sentences' and 'vectors')"
        )
    if not isinstance(thing, str) or _is_table(thing):
        shown = repr(thing) if isinstance(thing, str) else f"a {type(thing).__name__}"
        read = f"{reader}:{thing}" if reader else "npz:, npy: and parquet:FILE"
        vectors = f" (vectors are read by {read})" if isinstance(thing, str) else ""
        raise UsageProblem(
            f"{shown} is data, and an encoder is expected here: run takes the tasks first, evaluate"
            f" the encoder{vectors}"
        )
    if reader:
        raise UsageProblem(f"{thing!r} is a file of vectors, as it seems: write {reader}:{thing}")


def configure(encoders: Any, **options: Any) -> list[Any]:
    """A list of encoders with options added: those that one has and its reference does not set.

    encoders  references; in Python also loaded models, as `run` takes them
    options   such as device='cuda'; UsageProblem for an option that none of the encoders has

        lingprobe.configure(["length", "st:all-MiniLM-L6-v2"], device="cpu")
        lingprobe.configure([(model, tokenizer)], layers="all")
    """
    several = isinstance(encoders, list | Iterator) or _all_texts(encoders)
    given = list(encoders) if several else [encoders]
    named = [Reference.parse(each) for each in given if isinstance(each, str)]
    allow_code(*named)
    for key, value in options.items():
        if key == "device":
            check_device_name(str(value))
        able = [key in ENCODERS.options(each.name) for each in named]
        if not any(able) and len(named) == len(given):
            names = ", ".join(each.name for each in named) or "none"
            more = f": {_FILLED[key]}" if key in _FILLED else ""
            raise UsageProblem(f"none of the encoders ({names}) has the option {key}{more}")
        named = [
            each.plus(**{key: str(value)}) if has else each
            for each, has in zip(named, able, strict=True)
        ]
    texts = map(str, named)
    return [
        next(texts) if isinstance(each, str) else adapt_encoder(each, **options) for each in given
    ]


def _all_texts(things: Any) -> bool:
    """Whether things are several references."""
    several = isinstance(things, tuple | set | frozenset | KeysView)
    return several and all(isinstance(each, str) for each in things)


def _find_hub_files(name: str) -> ModelFiles:
    """The files of a model; a bare name may be one of the sentence-transformers, or its own."""
    try:
        return find_model_files(name, _ORGANISATION)
    except DataProblem:
        if "/" in name:
            raise
        return find_model_files(name)
