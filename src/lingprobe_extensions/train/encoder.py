"""Sentence encoders that `lingprobe train` made, as they were after each epoch."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem, Help, Reference, Sentence, Vectors
from lingprobe.extend import (
    Checkpoint,
    Floats,
    PlaceOption,
    WordInput,
    WordTable,
    digest_files,
    open_word_table,
    read_training_facts,
)
from lingprobe_extensions.train.ngrams import BigramVectors, drawn_vectors
from lingprobe_extensions.train.seen import Hashes, read_seen

_FEW = 1 << 13  # words whose vectors a parser keeps, which reads text of any length
VOCABULARY_FILE, UNKNOWN_WORD = (
    "words.txt",
    "<unk>",
)  # of learnt vectors, in their order; the first for all others


@dataclass(frozen=True)
class TrainedEncoder:
    """An encoder that `lingprobe train` made, by its folder."""

    folder: PlaceOption
    epoch: Annotated[
        str,
        Help(
            "after which it is read: the best on dev, or a number; 0 is before training. Several"
            " encoders are 1+4+best, 1-4, * (all epochs that the folder has) or 0+*"
        ),
    ] = field(default="best", kw_only=True)
    pool: Annotated[
        Literal["auto", "none", "max", "mean"],
        Help(
            "auto, as it was trained; none keeps a vector for each word; max and mean of recurrent"
            " networks"
        ),
    ] = field(default="auto", kw_only=True)
    vectors: Annotated[
        Path | None,
        Help("the file of word vectors that it was trained with, where that lies elsewhere now"),
    ] = field(default=None, kw_only=True)
    tokens: int = field(default=4096, kw_only=True)
    takes = "sentences"

    @staticmethod
    def expand(reference: Reference) -> list[Reference]:
        """The encoders of all the epochs that a reference names."""
        text = dict(reference.options).get("epoch", "best")
        names = _epochs(text, Path(reference.argument or "").expanduser())
        plain = reference.without("epoch")
        return [reference] if names == [text] else [plain.plus(epoch=each) for each in names]

    @property
    def kind(self) -> Literal["trained", "baseline", "oracle"]:
        """A baseline before training."""
        return "baseline" if self.epoch == "0" else "trained"

    @property
    def point_of_training(self) -> Checkpoint:
        """The epoch, its figures, and what is known of the training."""
        facts = self.facts
        number = int(self._number(facts))
        known: Mapping[str, Any] = next(
            (each for each in facts["epochs"] if each["epoch"] == number), {}
        )
        shown = {name: value for name, value in known.items() if name.startswith(("loss", "dev "))}
        return Checkpoint(
            number,
            "epoch",
            len(facts["epochs"]),
            facts["best"],
            facts["objective"],
            facts["figure"],
            {name.removeprefix("dev "): value for name, value in shown.items()},
            facts["trivial"],
        )

    @property
    def name(self) -> str:
        return f"trained:{self.folder}" + ("" if self.epoch == "best" else f",epoch={self.epoch}")

    @property
    def fingerprint(self) -> str:
        """The digests of the weights, of the word vectors and, where these are learnt, of the
        words; before training what the weights are drawn from, and what the training is.
        """
        facts = self.facts
        file, drawn = self.weights(facts), _training_key(facts)
        mark = digest_files([file]) if file else ""
        if file and facts.get("digests", {}).get(self._number(facts), mark) != mark:
            raise DataProblem(f"{file} is damaged: it is not what was trained; copy it again")
        words = [Path(self.folder).expanduser() / VOCABULARY_FILE] if self._has_words(facts) else []
        read = str(facts.get("words", facts["vectors"]))  # of a bag, its words
        return " ".join([mark or drawn, read, *map(_digest, words)])

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the folder says of itself; DataProblem where it holds no encoder."""
        return read_training_facts(Path(self.folder).expanduser())

    def saw(self) -> Hashes | None:
        """Hashes of the sentences that it was trained on, none before training; None of a folder
        that an earlier version made, which has no such file. DataProblem where it is damaged.
        """
        if self.epoch == "0":
            return np.empty(0, np.uint64)
        many = self.facts.get("seen")
        return None if many is None else read_seen(Path(self.folder).expanduser(), many)

    def _number(self, facts: Mapping[str, Any]) -> str:
        """The number of the epoch that is read."""
        number = str(facts["best"]) if self.epoch == "best" else self.epoch
        file = epoch_file(Path(self.folder).expanduser(), number)
        if number != "0" and not (number.isdecimal() and file.is_file()):
            many = len(facts["epochs"])
            if number.isdecimal() and 0 < int(number) <= many:
                raise DataProblem(f"{file} is not there: copy it, or train again")
            raise DataProblem(
                f"{self.folder} has no epoch {number}: write best, a number from 1 to {many}, or 0"
                " for before training"
            )
        return number

    @staticmethod
    def _has_words(facts: Mapping[str, Any]) -> bool:
        """Whether vectors of words were learnt, too."""
        return bool(facts["settings"]["learned"]) or "parser" in facts

    def weights(self, facts: Mapping[str, Any]) -> Path | None:
        """The file of the epoch that is read; None before training, whose weights are made of the
        seed again.
        """
        number = self._number(facts)
        return epoch_file(Path(self.folder).expanduser(), number) if number != "0" else None

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        facts, by_word = self.facts, self.pool == "none"
        if "words" in facts:
            return self._bag(facts).encode(sentences, by_word)
        shape = self._shape(facts)
        if by_word and shape.embedding:
            raise DataProblem(f"{self.folder} has embedding=, and so no vector for each word")
        forms, numbers = WordInput.forms(sentences)
        counts = np.array([len(s.words) for s in sentences], np.int64)
        network, (vectors, _) = self.parts(forms, facts)
        read = WordInput(vectors, numbers, counts)
        return read.encode(network, shape.width, by_word, self.tokens)

    def parts(
        self, forms: Sequence[str], facts: Mapping[str, Any]
    ) -> tuple[Any, tuple[Floats, NDArray[np.bool_]]]:
        """The network, a torch module, as it is at the epoch that is read, what it reads for some
        words [words, dim], and which of these have a vector of their own; `facts` are the folder's.
        """
        seed, shape = facts["settings"]["seed"], self._shape(facts)
        network = _load_trained_network(self.weights(facts), seed, shape, self.pool == "none")
        return network, self._vectors(forms, facts)

    def _shape(self, facts: Mapping[str, Any]) -> Any:
        """The network as it is pooled; DataProblem for one that is not pooled so."""
        from lingprobe.extend import NetworkArchitecture, NetworkShape

        shape = NetworkShape(**facts["shape"])
        if self.pool not in ("max", "mean"):
            return shape
        pooled: Any = f"{shape.architecture.partition('-')[0]}-{self.pool}"
        if pooled not in get_args(NetworkArchitecture):
            raise DataProblem(f"{self.folder} is a {shape.architecture}: leave pool= out, or none")
        return replace(shape, architecture=pooled)

    def _vectors(
        self, forms: Sequence[str], facts: Mapping[str, Any]
    ) -> tuple[Floats, NDArray[np.bool_]]:
        folder = Path(self.folder).expanduser()
        table = self._table(facts)
        if "parser" in facts:
            return self._spelt(forms, facts, table)
        if not facts["settings"]["learned"]:
            return table.look_up(forms)
        return _learnt(folder, self.weights(facts), table, forms)

    def _spelt(
        self, forms: Sequence[str], facts: Mapping[str, Any], table: WordTable
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """The vectors of words that a parser makes of their forms."""
        from lingprobe_extensions.train.nets.forms import FormNumbers

        words = read_training_words(Path(self.folder).expanduser())
        net, letters = (
            _load_form_network(self.weights(facts), self.fingerprint),
            facts["parser"]["letters"],
        )
        static = np.empty((len(forms), 0), np.float32)
        if net.shape.static:
            static, _ = table.look_up(forms)
        known = FormNumbers.of(forms, words, letters, static)
        return net.vectors(known), (known.rows > 0).numpy()

    def _bag(self, facts: Mapping[str, Any]) -> BigramVectors:
        """A bag of words and bigrams; DataProblem where its words are not those of its training."""
        path = Path(self.folder).expanduser() / VOCABULARY_FILE
        if not path.is_file() or digest_files([path]) != facts["words"]:
            raise DataProblem(f"{path}, which has the words of the encoder, is missing or changed")
        shape = facts["shape"]["buckets"], facts["shape"]["dim"], facts["settings"]["seed"]
        return _read_bag(self.weights(facts), path, facts["words"], shape)

    def _table(self, facts: Mapping[str, Any]) -> WordTable:
        settings, mark = facts["settings"], facts["vectors"]
        path = None
        if settings["vectors"] is not None:
            path = self.vectors or Path(settings["vectors"])
        if path is not None and (not path.is_file() or digest_files([path]) != mark):
            raise DataProblem(
                f"{self.folder} was trained with the word vectors {path}, which are not there or"
                " have changed; write vectors=FILE for where they are"
            )
        kept = {"most": _FEW} if "parser" in facts else {}
        return open_word_table(path, settings["dim"], settings["seed"], **kept)


def read_training_words(folder: Path) -> list[str]:
    """The words of an encoder's training; DataProblem where they are not there."""
    try:
        return (folder / VOCABULARY_FILE).read_text("utf-8").split("\n")
    except (OSError, ValueError):
        raise DataProblem(
            f"{folder / VOCABULARY_FILE}, which has the words of the encoder's training, cannot be"
            " read; give the command of its training again"
        ) from None


def tensors_of(weights: Path) -> Mapping[str, Any]:
    """The tensors of a file of weights by name; DataProblem where it is damaged."""
    from safetensors.torch import load_file

    with _whole(weights):
        return load_file(weights)


def arrays_of(weights: Path) -> Mapping[str, Any]:
    """The same as arrays."""
    from safetensors.numpy import load_file

    with _whole(weights):
        return load_file(weights)


@contextmanager
def _whole(weights: Path) -> Iterator[None]:
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, SafetensorError) as error:
        raise DataProblem(
            f"{weights} is damaged ({error}); copy it again, or train anew into another folder"
        ) from None


def epoch_file(folder: Path, epoch: str | int) -> Path:
    """The weights after an epoch."""
    return folder / f"epoch-{epoch}.safetensors"


def _digest(file: Path) -> str:
    if not file.is_file():
        raise DataProblem(f"{file} is not there, which says what words the learnt vectors are of")
    return digest_files([file])


def _training_key(facts: Mapping[str, Any]) -> str:
    """A training by what it was asked for: trainings that draw the same weights are told apart, so
    that the curve of each has its beginning.
    """
    settings = {name: value for name, value in facts["settings"].items() if name != "vectors"}
    asked = [facts[name] for name in ("objective", "where", "excluded")]
    return json.dumps([facts["shape"], settings, sorted(facts["files"].values()), *asked])


def _epochs(text: str, folder: Path) -> list[str]:
    """The epochs that `epoch=` names, each once: `best`, `N`, `N-M`, `*`, or several with +."""
    names: list[str] = []
    for part in text.split("+"):
        first, dash, last = part.partition("-")
        if part == "*":
            numbers = sorted(each["epoch"] for each in read_training_facts(folder)["epochs"])
            names += [str(n) for n in numbers if epoch_file(folder, str(n)).is_file()]
        elif dash and first.isdecimal() and last.isdecimal():
            names += map(str, range(int(first), int(last) + 1))
        else:
            names.append(part)
    if not names:
        raise DataProblem(f"{folder}: epoch={text} names nothing, and no epoch is kept there")
    return list(dict.fromkeys(names))


@functools.lru_cache(maxsize=4)
def _load_trained_network(weights: Path | None, seed: int, shape: Any, by_word: bool) -> Any:
    """A network with the weights of a file, or its initial weights, which are recomputed from the
    seed.
    """
    net = shape.network(seed, by_word)
    if weights is not None:
        kept = tensors_of(weights)  # which may have learnt words, too, and what a parser tells
        net.load_state_dict({name: kept[name] for name in net.state_dict()})
    return net.eval()


@functools.lru_cache(maxsize=2)
def _load_form_network(weights: Path | None, mark: str) -> Any:
    """What makes vectors of forms, with the weights of a file; `mark` tells one content of it from
    another.
    """
    from lingprobe_extensions.train.nets.forms import FORM_WEIGHT_PREFIX, FormEmbedding, FormShape

    if weights is None:
        raise DataProblem("a parser is not read before training; leave epoch=0 out")
    net = FormEmbedding(FormShape.read(read_training_facts(weights.parent)["parser"]["forms"]))
    kept = tensors_of(weights)
    net.load_state_dict({name: kept[f"{FORM_WEIGHT_PREFIX}{name}"] for name in net.state_dict()})
    return net.eval()


def _learnt(
    folder: Path, weights: Path | None, table: WordTable, forms: Sequence[str]
) -> tuple[Floats, NDArray[np.bool_]]:
    """The learnt vectors of some words [words, dim], and which are among those that were learnt;
    the vectors that training began with where no weights are.
    """
    words = read_training_words(folder)
    rows = {word: row for row, word in enumerate(words)}
    wanted = np.array([rows.get(form, 0) for form in forms], np.int64)
    if weights is None:
        return table.look_up([words[row] for row in wanted])[0], wanted > 0
    learnt: Floats = arrays_of(weights)["words"]
    return learnt[wanted], wanted > 0


@functools.lru_cache(maxsize=4)
def _read_bag(
    weights: Path | None, words: Path, mark: str, shape: tuple[int, int, int]
) -> BigramVectors:
    """Vectors of a file, or those that training began with, by buckets, numbers and seed; `mark`
    tells one content of the file of words from another.
    """
    forms = read_training_words(words.parent)
    buckets, dim, seed = shape
    if weights is None:
        vectors = drawn_vectors(len(forms) + buckets, dim, seed)
    else:
        vectors = arrays_of(weights)["source"]
    return BigramVectors({form: i for i, form in enumerate(forms)}, vectors)
