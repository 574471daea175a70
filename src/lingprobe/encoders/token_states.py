"""States of tokens from elsewhere, in one format that anything can write, a folder with these.

    states.json            the format, the model, the layers, how many texts and tokens there are
    texts.parquet          `text` of each row, and its `turns` in JSON where it is a conversation
    index.parquet          of each token `row`, `token` (its place in the row), `piece` and `role`
    layer-8.safetensors    `states` [tokens, dim] of layer 8, float32 or float16, rows in order

A role is that of the turn that a token belongs to ('' for none). Layers are mapped, not read, so a
folder may be larger than memory. Needs no torch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.damage import report_damage
from lingprobe.corpora.strict import parse_json_bytes
from lingprobe.corpora.tensor_files import locate_tensors, write_header
from lingprobe.data.abilities import TokenStates
from lingprobe.data.cache import write_text
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.data.vectors import Floats, Ints, Spans, compute_offsets
from lingprobe.encoders.own_vectors import lacking_of
from lingprobe.encoders.token_places import ALL_PLACES, PlaceRange

STATES_FILE = "states.json"
_FORMAT = "lingprobe token states 1"
_TEXTS_FILE, _INDEX_FILE, _TENSOR = "texts.parquet", "index.parquet", "states"
_HEADER_BYTES = 256  # of a file of states, so that its length may be written last
_FACTS_BYTES = 2**20  # at most
_WRITTEN_ROWS = 512  # texts whose tokens are written to the index at one time
_KINDS: Mapping[str, str] = {"float32": "F32", "float16": "F16"}


class ActivationWriter:
    """Writes states of tokens to a folder that `acts:FOLDER` reads: text after text, in memory that
    does not grow.

        with lingprobe.ActivationWriter("states/", model="Qwen/Qwen3-0.6B") as writer:
            for text in texts:
                writer.add(text, pieces, {8: states})

    folder  a new one
    model   which model the states are of, as a note
    dtype   how states are stored: float32 or float16
    """

    def __init__(self, folder: str | Path, *, model: str = "", dtype: str = "float32") -> None:
        """Begin a folder. UsageProblem for another dtype; DataProblem where it has files."""
        if dtype not in _KINDS:
            raise UsageProblem(f"dtype={dtype}: write float32 or float16")
        self._folder = Path(folder).expanduser().absolute()
        if self._folder.exists() and any(self._folder.iterdir()):
            raise DataProblem(f"{self._folder} has files already: name a new folder")
        self._folder.mkdir(parents=True, exist_ok=True)
        self._model, self._dtype = model, dtype
        self._files = ExitStack()
        self._layers: dict[str, tuple[BinaryIO, int]] = {}
        self._texts: list[tuple[str, str]] = []
        self._index: list[tuple[int, int, str, str]] = []
        self._tokens = 0
        self._writer: Any = None

    def add(
        self,
        text: str | Sequence[Mapping[str, Any]],
        pieces: Sequence[str],
        states: Mapping[int | str, NDArray[Any]],
        roles: Sequence[str] | None = None,
    ) -> None:
        """Write the tokens of one text.

        text    the text, or a conversation: turns with `role` and `content`
        pieces  [tokens] how each token is written
        states  [tokens, dim] by layer
        roles   [tokens] the role of the turn that each token belongs to, '' for none
        UsageProblem where these are not of one length, and for other layers than before.
        """
        named = {str(layer): np.asarray(each) for layer, each in states.items()}
        said = ["" for _ in pieces] if roles is None else list(roles)
        self._check(text, pieces, named, said)
        row = len(self._texts)
        for name, array in named.items():
            if name not in self._layers:
                file = self._files.enter_context(self._place(name).open("wb"))
                file.write(bytes(_HEADER_BYTES))
                self._layers[name] = file, array.shape[1]
            self._layers[name][0].write(np.ascontiguousarray(array, self._dtype).tobytes())
        self._texts.append(_name_text(text))
        self._index += [
            (row, place, piece, role)
            for place, (piece, role) in enumerate(zip(pieces, said, strict=True))
        ]
        self._tokens += len(pieces)
        if len(self._texts) % _WRITTEN_ROWS == 0:
            self._flush()

    def close(self) -> None:
        """Write what is left; the folder can be read from then on. UsageProblem where no text was
        added.
        """
        if not self._texts:
            self._files.close()
            raise UsageProblem(f"{self._folder}: no text was added")
        self._flush()
        self._writer.close()
        for file, dim in self._layers.values():
            file.seek(0)
            shape = (self._tokens, dim)
            file.write(write_header(_TENSOR, _KINDS[self._dtype], shape, _HEADER_BYTES))
        self._files.close()
        import pyarrow as pa
        import pyarrow.parquet as pq

        texts, turns = zip(*self._texts, strict=True)
        pq.write_table(pa.table({"text": texts, "turns": turns}), self._folder / _TEXTS_FILE)
        facts = {
            "format": _FORMAT,
            "model": self._model,
            "layers": [*self._layers],
            "texts": len(self._texts),
            "tokens": self._tokens,
        }
        write_text(self._folder / STATES_FILE, json.dumps(facts, indent=1) + "\n")

    def __enter__(self) -> ActivationWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._files.close()

    def _place(self, layer: str) -> Path:
        return self._folder / f"layer-{layer}.safetensors"

    def _check(
        self,
        text: Any,
        pieces: Sequence[str],
        states: Mapping[str, NDArray[Any]],
        roles: Sequence[str],
    ) -> None:
        """Refuse what does not belong together."""
        shown = f"text {len(self._texts)}, {str(text)[:30]!r}"
        if not states or (self._layers and {*states} != {*self._layers}):
            wanted = ", ".join(self._layers) or "at least one"
            raise UsageProblem(f"{shown}: layers {', '.join(states)}, expected {wanted}")
        for name, array in states.items():
            dim = self._layers[name][1] if name in self._layers else array.shape[-1]
            if array.shape != (len(pieces), dim) or array.dtype.kind != "f":
                raise UsageProblem(
                    f"{shown}: layer {name} has {array.dtype} of shape {list(array.shape)} for"
                    f" {len(pieces)} pieces, expected floats of [{len(pieces)}, {dim}]"
                )
            if "/" in name or name.startswith("."):
                raise UsageProblem(f"{shown}: {name!r} cannot name a layer")
        if len(roles) != len(pieces):
            raise UsageProblem(f"{shown}: {len(roles)} roles for {len(pieces)} pieces")

    def _flush(self) -> None:
        """Write the tokens of the last texts to the index."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = [*zip(*self._index, strict=True)] or [(), (), (), ()]
        kinds = pa.int64(), pa.int32(), pa.string(), pa.string()
        arrays = [pa.array(each, kind) for each, kind in zip(columns, kinds, strict=True)]
        table = pa.table(arrays, names=["row", "token", "piece", "role"])
        if self._writer is None:
            place = self._folder / _INDEX_FILE
            self._writer = self._files.enter_context(pq.ParquetWriter(place, table.schema))
        self._writer.write_table(table)
        self._index = []


def _name_text(text: Any) -> tuple[str, str]:
    """A text, and its turns in JSON."""
    if isinstance(text, str):
        return text, ""
    turns = [(str(turn["role"]), str(turn["content"])) for turn in text]
    return "\n".join(content for _, content in turns), json.dumps(turns, ensure_ascii=False)


def _key_of(sentence: Sentence) -> tuple[str, str]:
    turns = json.dumps(sentence.turns, ensure_ascii=False) if sentence.turns else ""
    return sentence.text, turns


class ReadStates(NamedTuple):
    """What is read of some texts: layers [units, dim], units of each text, and which texts have no
    token that counts.
    """

    layers: tuple[Floats, ...]
    spans: Spans | None
    empty: list[int]


@dataclass(frozen=True, eq=False)
class TokenStateFolder:
    """A folder of states of tokens.

    layers   by name [tokens, dim], where they lie
    rows     the number of each text
    bounds   [texts + 1] tokens of text t are bounds[t]:bounds[t + 1]
    roles    [tokens] codes into `names`
    """

    folder: Path
    layers: Mapping[str, NDArray[Any]]
    rows: Mapping[tuple[str, str], int]
    bounds: Ints
    roles: NDArray[np.int32]
    names: tuple[str, ...]

    def find(self, sentences: Sequence[Sentence]) -> Ints:
        """The numbers of texts, -1 for those that are not there."""
        found = []
        for sentence in sentences:
            key = _key_of(sentence)
            found.append(self.rows.get(key, self.rows.get((key[0], ""), -1)))
        return np.array(found, np.int64)

    def lacking(self, sentences: Sequence[Sentence]) -> str:
        """What to say of texts that are not there; '' where all are."""
        numbers = self.find(sentences)
        lacking = [s for s, number in zip(sentences, numbers, strict=True) if number < 0]
        where = str(self.folder)
        return lacking_of(where, lacking, len(sentences), "states") if lacking else ""

    def _choose_tokens(self, number: int, role: str) -> Ints:
        """Which tokens of a text count, by their numbers among all."""
        places = np.arange(self.bounds[number], self.bounds[number + 1])
        if not role:
            return places
        code = self.names.index(role) if role in self.names else -1
        return np.asarray(places[self.roles[places] == code], np.int64)

    def read(
        self,
        sentences: Sequence[Sentence],
        asked: Sequence[tuple[str, str]],
        role: str,
        places: PlaceRange = ALL_PLACES,
    ) -> ReadStates:
        """The layers that are asked for, each with its pooling, of tokens of a role ('' for all) at
        some places among them.
        """
        kept = [
            places.cut(self._choose_tokens(number, role)) if number >= 0 else np.zeros(0, np.int64)
            for number in self.find(sentences).tolist()
        ]
        empty = [k for k, places in enumerate(kept) if not len(places)]
        by_token = asked[0][1] == "none"
        layers = []
        for name, pool in asked:
            states = self.layers[name]
            parts = list(_pool_rows(states, kept, pool))
            none = np.zeros((0, states.shape[1]), np.float32)
            layers.append(np.concatenate([none, *parts]) if by_token else np.stack(parts))
        spans = None
        if by_token:
            words = [len(sentence.words) for sentence in sentences]
            nowhere = np.zeros((sum(words), 2), np.int64)
            starts = compute_offsets([len(places) for places in kept])
            nowhere += np.repeat(starts[:-1], words)[:, None]
            spans = Spans(starts, nowhere, compute_offsets(words))
        return ReadStates(tuple(layers), spans, empty)

    def read_tokens(
        self, sentence: Sentence, layers: Sequence[str], role: str, places: PlaceRange
    ) -> TokenStates:
        """The tokens of a text that is there, and which of them are read."""
        import pyarrow.parquet as pq

        (number,) = self.find([sentence]).tolist()
        every = np.arange(self.bounds[number], self.bounds[number + 1])
        file = self.folder / _INDEX_FILE
        with report_damage(file, "an index of tokens"):
            rows = pq.read_table(file, columns=["piece"], filters=[("row", "=", number)])
        counted = np.isin(every, places.cut(self._choose_tokens(number, role)))
        states = {name: np.asarray(self.layers[name][every], np.float32) for name in layers}
        return TokenStates(tuple(rows.column("piece").to_pylist()), states, counted)


def _pool_rows(states: NDArray[Any], kept: Sequence[Ints], pool: str) -> Iterator[Floats]:
    """The states of each text, pooled: NaN where no token counts; or one after the other."""
    for places in kept:
        values = np.asarray(states[places], np.float32)
        if pool == "none":
            yield values
        elif not len(places):
            yield np.full(states.shape[1], np.nan, np.float32)
        elif pool == "mean":
            yield values.mean(0)
        else:
            yield values.max(0) if pool == "max" else values[-1]


@lru_cache(maxsize=2)
def open_token_states(folder: Path, stamp: str) -> TokenStateFolder:
    """A folder of states; its index is read, its layers are mapped. DataProblem where files are
    damaged or do not belong together.

    stamp  stands for the files
    """
    import pyarrow.parquet as pq

    place = folder / STATES_FILE
    if place.stat().st_size > _FACTS_BYTES:
        raise DataProblem(f"{place} is too large to be the facts of a folder of states")
    with report_damage(place, "the facts of a folder of states"):
        facts = parse_json_bytes(place.read_bytes(), place)
        if facts["format"] != _FORMAT:
            raise DataProblem(
                f"{place} has the format {facts['format']!r:.40}, and this version reads {_FORMAT}"
            )
        names = [str(name) for name in facts["layers"]]
        tokens, many = int(facts["tokens"]), int(facts["texts"])
    with report_damage(folder / _TEXTS_FILE, "a table of texts"):
        table = pq.read_table(folder / _TEXTS_FILE, columns=["text", "turns"])
        texts = [*zip(*(table.column(name).to_pylist() for name in ("text", "turns")), strict=True)]
    with report_damage(folder / _INDEX_FILE, "an index of tokens"):
        index = pq.read_table(folder / _INDEX_FILE, columns=["row", "role"])
        rows = index.column("row").to_numpy()
        roles = index.column("role").combine_chunks().dictionary_encode()
    if len(rows) != tokens or len(texts) != many or (np.diff(rows) < 0).any():
        raise DataProblem(
            f"{folder}: {len(rows):,} tokens of {len(texts):,} texts, and {place.name} says"
            f" {tokens:,} of {many:,}: was it written to its end?"
        )
    bounds = np.searchsorted(rows, np.arange(many + 1))
    layers = {name: _map_layer(folder / f"layer-{name}.safetensors", tokens) for name in names}
    numbers: dict[tuple[str, str], int] = {}
    for number, key in enumerate(texts):
        numbers.setdefault(key, number)
    codes = roles.indices.to_numpy().astype(np.int32)
    known = tuple(roles.dictionary.to_pylist())
    return TokenStateFolder(folder, layers, numbers, bounds, codes, known)


def _map_layer(path: Path, tokens: int) -> NDArray[Any]:
    """A layer mapped, not loaded: its states [tokens, dim], where they lie."""
    if not path.is_file():
        raise DataProblem(f"{path} is missing: copy the whole folder of states")
    with report_damage(path, "a file of states"):
        place = locate_tensors(path)[_TENSOR]
        if len(place.shape) != 2 or place.shape[0] != tokens or place.kind not in ("F32", "F16"):
            raise ValueError(f"{place.kind} of {list(place.shape)} for {tokens:,} tokens")
        return place.map_from(path)
