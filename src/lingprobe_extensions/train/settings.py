"""What is asked for where an encoder is trained."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from lingprobe import Sentence, UsageProblem
from lingprobe.extend import NetworkArchitecture, check_choice, check_number
from lingprobe_extensions.train.contents import OBJECTIVES
from lingprobe_extensions.train.objectives import Objective

BAG: Literal["bow"] = "bow"
"""The architecture that is no network: means of vectors of words and bigrams."""
TREES: Literal["parser"] = "parser"
"""The architecture that tells the annotation of words: a BiLSTM over vectors of their forms."""


@dataclass(frozen=True)
class Settings:
    """How a sentence encoder is trained; docs/training.md says where each default is from.

    vectors    static word vectors, which are not trained (default: random ones of `dim` numbers)
    hidden     units of a layer, per direction
    learned    whether vectors of words are learnt, too, from those on
    vocabulary how many words have a vector of their own at most, where vectors are learnt
    least      how often such a word must occur, and a word of `cbow`
    layers     how many; 0: 2 recurrent ones, or 8 convolutions
    embedding  numbers of the sentence vector, by a linear layer; 0: the pooled states as they are
    decoder    units of each of the decoder's two layers
    attention  whether the decoder looks at the states of words, too
    pieces     how many pieces texts are cut into at most
    epochs     passes over the examples
    optimizer  adam, sgd, or auto: adam for recurrent networks, sgd for convolutions
    rate       of learning; 0: 0.001 for adam, 0.1 for sgd, 0.2 for cbow
    clip       the norm that gradients are scaled down to; 0 for none
    batch      words and pieces of a batch at most
    patience   epochs without a better figure on dev, after which training ends; 0 for no end
    ngrams     (cbow) 2 for words and bigrams, 1 for words alone
    buckets    (cbow) how many vectors all bigrams share
    lost       (cbow) bigrams of a sentence that are excluded
    negatives  (cbow) words that each word is told from
    subsample  (cbow) frequency from which on a word is predicted less often than it stands; 0:
               always
    divided    (cbow) the step of a context's vectors is the gradient; false: as word2vec and
               gensim, so many times as long as there are vectors in the context, and none beyond
               scores of 6
    shuffled   (cbow) the order of sentences is drawn for each epoch; false: as in the text
    dropout    (parser) share of numbers that are excluded while it learns
    falls      (parser) the rate falls to nothing in a straight line until the last epoch; false:
               it is halved after an epoch that was no better
    letters    (parser) numbers that are made of a word's letters, for each width that these are
               read in
    dilated    (parser) letters are read by three dilated convolutions, as in COMBO
    projected  (parser) numbers that are made of a static vector, where vectors= gives some
    arcs       (parser) numbers of a word as a head, and as what stands below one
    drop, swap (denoise) how often a word is excluded, and two neighbours change places
    longest    words of a sentence, beyond which it is excluded
    english    quotes are made straight, and clitics split off, as English treebanks have them
    on_error   raise, or skip: trees that are malformed are excluded and counted
    most       examples that are read at most; 0 for all
    device     cpu, cuda, or auto: a GPU where there is one
    precision  fp32, or bf16: products in bfloat16, sums and weights in float32
    seed       of weights, of the order of examples and of noise
    """

    vectors: Path | None = None
    dim: int = 300
    learned: bool = False
    vocabulary: int = 50_000
    least: int = 2
    hidden: int = 512
    layers: int = 0
    embedding: int = 0
    decoder: int = 512
    attention: bool = False
    pieces: int = 8000
    epochs: int = 8
    optimizer: str = "auto"
    rate: float = 0.0
    clip: float = 5.0
    batch: int = 4096
    patience: int = 3
    ngrams: int = 2
    buckets: int = 100_000
    lost: int = 4
    negatives: int = 10
    subsample: float = 1e-4
    divided: bool = True
    shuffled: bool = True
    dropout: float = 0.33
    falls: bool = True
    letters: int = 64
    dilated: bool = False
    projected: int = 100
    arcs: int = 256
    drop: float = 0.1
    swap: float = 0.1
    longest: int = 60
    english: bool = False
    on_error: str = "raise"
    most: int = 0
    device: str = "auto"
    precision: str = "fp32"
    seed: int = 0

    @classmethod
    def of(cls, options: Mapping[str, Any], recipe: str = "") -> Settings:
        """Settings by name, whose values may be texts, over those of a recipe; UsageProblem for one
        that there is not.
        """
        if recipe:
            check_choice("recipe", recipe, RECIPES)
        options = {**(RECIPES[recipe] if recipe else {}), **options}
        kinds = {field.name: type(field.default) for field in fields(cls)}
        made: dict[str, Any] = {}
        for name, value in options.items():
            check_choice("setting", name, kinds)
            try:
                made[name] = _read(kinds[name], value)
            except ValueError:
                raise UsageProblem(f"{name}={value}: not {NUMBERS[kinds[name]]}") from None
        return cls(**made)

    def __post_init__(self) -> None:
        values = asdict(self)
        for name, known in CHOICES.items():
            check_choice(name, values[name], known)
        for name, bounds in BOUNDS.items():
            check_number(name, values[name], bounds, problem=UsageProblem)
        if not re.fullmatch(r"auto|cpu|mps|cuda(:\d+)?", self.device):
            raise UsageProblem(f"no device {self.device!r}: choose auto, cpu, mps, cuda or cuda:1")


PARSER: Mapping[str, Any] = {
    "hidden": 256,
    "layers": 2,
    "dim": 100,
    "epochs": 30,
    "rate": 0.002,
    "batch": 1500,
    "patience": 0,
    "longest": 250,
}
RECIPES: Mapping[str, Mapping[str, Any]] = {
    "small": {
        "hidden": 256,
        "layers": 1,
        "decoder": 256,
        "pieces": 4000,
        "batch": 1024,
        "most": 30_000,
    },
    "paper": {"hidden": 512, "decoder": 512, "pieces": 40_000, "epochs": 30},
    "parser": PARSER,
    "combo": {
        **PARSER,
        "hidden": 512,
        "dilated": True,
        "dropout": 0.25,
        "arcs": 512,
    },
}
"""By name: `small` for two cores and minutes, `paper` for the sizes of Conneau et al. 2018, section
3.3, and a GPU; pieces, epochs and batches are not in the paper's text. `parser` is what a parser is
trained with where nothing else is said, `combo` has the sizes of Rybak and Wróblewska 2018.
"""
SIZES = (
    *("hidden", "decoder", "pieces", "epochs", "batch", "longest", "dim", "vocabulary", "least"),
    *("buckets", "negatives", "letters", "projected", "arcs"),
)
OPEN = ("layers", "embedding", "patience", "most", "seed", "lost", "clip", "rate", "subsample")
BOUNDS = {
    **dict.fromkeys(SIZES, "1"),
    **dict.fromkeys(OPEN, "0"),
    **dict.fromkeys(("dropout", "drop", "swap"), "0-<1"),
    "ngrams": "1-<3",
}
"""The bounds of a setting, as `check_number` takes them."""
CHOICES = {
    "optimizer": ("auto", "adam", "sgd"),
    "precision": ("fp32", "bf16"),
    "on_error": ("raise", "skip"),
}
NUMBERS = {int: "a whole number", float: "a number", bool: "true or false"}


def _read(kind: type, value: Any) -> Any:
    """A value of a setting of that kind."""
    if kind is type(None):  # the file of vectors
        return None if value is None else Path(value)
    if kind is bool and isinstance(value, str):
        if value.lower() not in ("true", "false"):
            raise ValueError
        return value.lower() == "true"
    return kind(value)


@dataclass(frozen=True)
class Request:
    """What an encoder is to learn, and from what.

    files     that the objective reads
    dev       files to judge by; a part of the examples without
    where     of files with columns: which rows are read, as patterns by column
    exclude   sentences that are excluded, as they will be probed
    also      files that are judged after each epoch, too, as they are; nothing is chosen by them
    left_out  options that name the corpora and tasks of `exclude`, for the command in the card
    """

    architecture: NetworkArchitecture | Literal["bow", "parser"]
    objective: str
    files: Sequence[Path]
    dev: Sequence[Path] = ()
    where: Mapping[str, str] | None = None
    exclude: Sequence[Sentence] = ()
    also: Sequence[Path] = ()
    left_out: Sequence[str] = ()

    def check(self) -> Objective:
        """The objective; UsageProblem for what does not fit together, ReferenceProblem for a name
        that there is not.
        """
        known = (*get_args(NetworkArchitecture), BAG, TREES)
        for kind, name, every in (
            ("architecture", self.architecture, known),
            ("objective", self.objective, OBJECTIVES),
        ):
            if not name:
                raise UsageProblem(f"an {kind} is missing: choose one of {', '.join(every)}")
        check_choice("architecture", self.architecture, known)
        objective = OBJECTIVES.make(self.objective)
        if not isinstance(objective, Objective):
            raise UsageProblem(f"{self.objective} returns no Objective, which an objective must")
        if objective.alone != (self.architecture if self.architecture in (BAG, TREES) else ""):
            alone = objective.alone or self.architecture
            raise UsageProblem(
                f"{self.architecture} is not trained for {self.objective}: {alone} is trained for"
                f" {objective_of(alone)}, and for nothing else"
            )
        if self.where and not objective.columns:
            raise UsageProblem(
                f"{self.objective} reads no table whose columns have names: leave --where out"
            )
        if not self.files:
            raise UsageProblem(f"there is no file to learn to {self.objective} from: name --data")
        if self.also and objective.lesson is None:
            raise UsageProblem(f"{self.objective} is judged by --dev alone; leave --evaluate out")
        return objective


def objective_of(architecture: str) -> str:
    """The objective of an architecture that learns nothing else; '' for the others."""
    every = (name for name in OBJECTIVES.table if OBJECTIVES.make(name).alone == architecture)
    return next(every, "")
