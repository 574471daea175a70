"""Files of published encoders: found, read without running anything that is in them, and checked
against what the network needs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem
from lingprobe.extend import ArrayFile, FileSource, digest_files, report_damage

Shapes = Mapping[str, tuple[int, ...]]


def check_there(path: Path, content: str, source: FileSource) -> None:
    """Where a file is not there, a DataProblem says what it holds and where to get it."""
    if not path.expanduser().is_file():
        raise source.missing(path, content)


def digest_of(path: Path, content: str, source: FileSource) -> str:
    """The digest of a file that has to be there."""
    check_there(path, content, source)
    return digest_files([path])


def find_file(folder: Path, names: tuple[str, ...], content: str, source: FileSource) -> Path:
    """The one file of a folder that one of these patterns fits; DataProblem where there is none, or
    more than one.
    """
    place = folder.expanduser()
    if not place.is_dir():
        raise source.missing(folder, content, "folder")
    for name in names:
        found = sorted(place.glob(name))
        if len(found) > 1:
            both = " and ".join(file.name for file in found[:2])
            raise DataProblem(f"{folder} has both {both}; keep one model in a folder")
        if found:
            return found[0]
    raise DataProblem(f"{folder} has no {' or '.join(names)} ({content}); {source}")


def torch_file(path: Path, namespaces: bool = False) -> Any:
    """What a weight file of torch (.pkl, .pt) holds, read without running code from the file; with
    `namespaces` also settings as argparse keeps them.
    """
    import argparse

    import torch

    with (
        report_damage(path, "a file of torch"),
        torch.serialization.safe_globals([argparse.Namespace] if namespaces else []),
    ):
        return torch.load(path.expanduser(), map_location="cpu", weights_only=True)


def read_arrays(path: Path, prefix: str = "") -> dict[str, NDArray[Any]]:
    """The arrays of a .npz file whose names begin so, by name."""
    file = ArrayFile(path)
    return {name: file[name] for name in file if name.startswith(prefix)}


def mmap_table(path: Path) -> NDArray[Any]:
    """The table of a .npy file, mapped into memory."""
    file = ArrayFile(path)
    if not file.is_single:
        raise DataProblem(f"{path} holds several arrays, expected one [words, dimensions]")
    table = file[""]
    if table.ndim != 2 or table.dtype.kind != "f":
        raise DataProblem(
            f"{path} holds {table.dtype} {list(table.shape)}, expected numbers [words, dimensions]"
        )
    return table


def json_file(path: Path, content: str) -> dict[str, Any]:
    """The object of a JSON file that holds `content`."""
    with report_damage(path, "JSON"):
        said = json.loads(path.read_text("utf-8"))
    if not isinstance(said, dict):
        raise DataProblem(f"{path} contains no JSON object, expected {content}")
    return said


def check_weight_shapes(path: Path, state: Any, shapes: Shapes, network: str) -> None:
    """Refuse weights that lack a name or have another shape than the network."""
    if not isinstance(state, Mapping):
        raise DataProblem(
            f"{path} holds a {type(state).__name__}, expected the weights of {network}"
        )
    for name, shape in shapes.items():
        if name not in state:
            raise DataProblem(
                f"{path} has no weights {name!r}, which {network} has; is it another?"
            )
        found = tuple(np.shape(state[name]))
        if found != shape:
            raise DataProblem(
                f"{path}: the weights {name!r} are {list(found)}, expected {list(shape)} for"
                f" {network}"
            )


def recurrent_shapes(
    dim: int, hidden: int, layers: int, prefix: str = "", directions: int = 2
) -> Shapes:
    """The weights of an LSTM as torch names them."""
    shapes: dict[str, tuple[int, ...]] = {}
    for layer in range(layers):
        read = dim if layer == 0 else directions * hidden
        for side in ("", "_reverse")[:directions]:
            each = {
                "weight_ih": (4 * hidden, read),
                "weight_hh": (4 * hidden, hidden),
                "bias_ih": (4 * hidden,),
                "bias_hh": (4 * hidden,),
            }
            shapes |= {f"{prefix}{name}_l{layer}{side}": s for name, s in each.items()}
    return shapes


def hidden_units(path: Path, state: Any, name: str, network: str) -> int:
    """How many units a recurrent layer has, as its weights [gates * units, units] say."""
    weights = state.get(name) if isinstance(state, Mapping) else None
    if weights is None or len(np.shape(weights)) != 2:
        raise DataProblem(f"{path} has no weights {name!r}, which {network} has; is it another?")
    return int(weights.shape[1])


def over_vectors(
    path: Path, state: Any, dim: int, layers: int, network: str, prefix: str = ""
) -> int:
    """The units of a bidirectional LSTM over word vectors of `dim` numbers; DataProblem where it is
    none, or reads others.
    """
    hidden = hidden_units(path, state, f"{prefix}weight_hh_l0", network)
    read = int(state[f"{prefix}weight_ih_l0"].shape[1])
    check_weight_shapes(path, state, recurrent_shapes(read, hidden, layers, prefix), network)
    if read != dim:
        raise DataProblem(
            f"{path} needs word vectors of {read} dimensions, and those of vectors= have {dim}"
        )
    return hidden


def format_installed_versions(*packages: str) -> str:
    """Versions of packages, as far as they are installed."""
    known = []
    for package in packages:
        with suppress(PackageNotFoundError):
            known.append(f"{package}={version(package)}")
    return " ".join(known)
