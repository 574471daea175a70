"""The options of what trains, each written once; nothing is imported to train with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe import Help, Options, UsageProblem, flag
from lingprobe.extend import check_choice


@dataclass(frozen=True, kw_only=True)
class ExcludeOptions(Options):
    """Which sentences are excluded."""

    exclude: Annotated[
        Iterable[str | Path],
        Help("corpora whose sentences are excluded, since they will be probed"),
        flag(metavar="CORPUS"),
    ] = ()
    tasks: Annotated[
        Any,
        Help("tasks whose sentences are excluded, since they will be probed"),
        flag("--task", "-t", metavar="TASK", complete="tasks"),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class TrainingData(ExcludeOptions):
    """What is learnt from, and where it is written."""

    output: Annotated[
        str | Path,
        Help("the folder to write; a training that was stopped continues there"),
        flag("-o", metavar="FOLDER"),
    ]
    data: Annotated[
        str | Path | Iterable[str | Path],
        Help(
            "training data: aligned files or a table (translate), running text, bracketed trees"
            " (parse), tables of pairs (infer), or treebanks (annotate), whose test is never read"
        ),
        flag(metavar="FILE"),
    ] = ()
    dev: Annotated[
        str | Path | Iterable[str | Path],
        Help(
            "data to select the best epoch (default: a twentieth of the examples, or the treebank's"
            " dev)"
        ),
        flag(metavar="FILE"),
    ] = ()
    evaluate: Annotated[
        str | Path | Iterable[str | Path],
        Help(
            "also evaluate on these files after each epoch, unfiltered; a finished training after"
            " its last"
        ),
        flag(metavar="FILE"),
    ] = ()
    recipe: Annotated[
        str,
        Help(
            "`small` (two cores, minutes) or `paper` (the sizes of Conneau et al. 2018, a GPU);"
            " `combo` for a parser"
        ),
        flag(metavar="NAME"),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class TrainOptions(TrainingData):
    """What an encoder or a parser learns, and from what."""

    architecture: Annotated[
        str,
        Help(
            "`bilstm-max`, `bilstm-last`, `lstm-last`, `lstm-backward`, `bigru-max`,"
            " `bigru-last`, `gru-last`, `gru-backward`, `gated-convnet`, or `mean` of the word"
            " vectors, where only embedding= and learned= are trained; `bow` for cbow; `parser`"
            " to annotate"
        ),
        flag(metavar="ARCHITECTURE", positional=True),
    ]
    objective: Annotated[
        str,
        Help(
            "what to learn, such as `translate` or `mine.py@order` (`lingprobe list objectives`"
            " shows them); `bow` and `parser` need none"
        ),
        flag(metavar="NAME", complete="objectives"),
    ] = ""
    where: Annotated[
        Any,
        Help("only rows of a table whose column matches"),
        flag(metavar="COLUMN=PATTERN"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(Options):
    """How a sentence encoder is trained; docs/training.md says where each default is from."""

    vectors: Annotated[
        Path | None,
        Help("static word vectors, which are not trained (default: random ones of `dim` numbers)"),
    ] = None
    dim: Annotated[int, Help("dimensions of the vectors of words, where none are given", "1")] = 300
    learned: Annotated[
        bool,
        Help("whether vectors of words are learnt, too, from those on"),
    ] = False
    vocabulary: Annotated[
        int,
        Help("how many words have a vector of their own at most, where vectors are learnt", "1"),
    ] = 50_000
    least: Annotated[int, Help("how often such a word must occur, and a word of `cbow`", "1")] = 2
    hidden: Annotated[int, Help("units of a layer, per direction", "1")] = 512
    layers: Annotated[int, Help("how many layers; 0: 2 recurrent ones, or 8 convolutions", "0")] = 0
    embedding: Annotated[
        int,
        Help(
            "numbers of the sentence vector, by a linear layer; 0: the pooled states as they are",
            "0",
        ),
    ] = 0
    decoder: Annotated[int, Help("units of each of the decoder's two layers", "1")] = 512
    attention: Annotated[
        bool,
        Help("whether the decoder looks at the states of words, too"),
    ] = False
    pieces: Annotated[int, Help("how many pieces texts are cut into at most", "1")] = 8000
    epochs: Annotated[int, Help("passes over the examples", "1")] = 8
    optimizer: Annotated[
        Literal["auto", "adam", "sgd"],
        Help("adam, sgd, or auto: adam for recurrent networks, sgd for convolutions"),
    ] = "auto"
    rate: Annotated[
        float,
        Help("the learning rate; 0: 0.001 for adam, 0.1 for sgd, 0.2 for cbow", "0"),
    ] = 0.0
    clip: Annotated[
        float,
        Help("the norm that gradients are scaled down to; 0 for none", "0"),
    ] = 5.0
    batch: Annotated[int, Help("words and pieces of a batch at most", "1")] = 4096
    patience: Annotated[
        int,
        Help("epochs without a better figure on dev, after which training ends; 0 for no end", "0"),
    ] = 3
    ngrams: Annotated[int, Help("(cbow) 2 for words and bigrams, 1 for words alone", "1-<3")] = 2
    buckets: Annotated[int, Help("(cbow) how many vectors all bigrams share", "1")] = 100_000
    lost: Annotated[int, Help("(cbow) bigrams of a sentence that are excluded", "0")] = 4
    negatives: Annotated[int, Help("(cbow) words that each word is distinguished from", "1")] = 10
    subsample: Annotated[
        float,
        Help(
            "(cbow) frequency from which on a word is predicted less often than it stands; 0:"
            " always",
            "0",
        ),
    ] = 1e-4
    divided: Annotated[
        bool,
        Help(
            "(cbow) the step of a context's vectors is the gradient; false: as word2vec and"
            " gensim, so many times as long as there are vectors in the context, and none beyond"
            " scores of 6"
        ),
    ] = True
    shuffled: Annotated[
        bool,
        Help("(cbow) the order of sentences is drawn for each epoch; false: as in the text"),
    ] = True
    dropout: Annotated[
        float,
        Help("(parser) share of numbers that are excluded while it learns", "0-<1"),
    ] = 0.33
    falls: Annotated[
        bool,
        Help(
            "(parser) the rate falls to nothing in a straight line until the last epoch; false: it"
            " is halved after an epoch that was no better"
        ),
    ] = True
    letters: Annotated[
        int,
        Help(
            "(parser) numbers that are made of a word's letters, for each width that these are"
            " read in",
            "1",
        ),
    ] = 64
    dilated: Annotated[
        bool,
        Help("(parser) letters are read by three dilated convolutions, as in COMBO"),
    ] = False
    projected: Annotated[
        int,
        Help("(parser) numbers that are made of a static vector, where vectors= gives some", "1"),
    ] = 100
    arcs: Annotated[
        int,
        Help("(parser) numbers of a word as a head, and as what stands below one", "1"),
    ] = 256
    drop: Annotated[float, Help("(denoise) how often a word is excluded", "0-<1")] = 0.1
    swap: Annotated[float, Help("(denoise) how often two neighbours change places", "0-<1")] = 0.1
    longest: Annotated[int, Help("words of a sentence, beyond which it is excluded", "1")] = 60
    english: Annotated[
        bool,
        Help("quotes are made straight, and clitics split off, as English treebanks have them"),
    ] = False
    on_error: Annotated[
        Literal["raise", "skip"],
        Help("raise, or skip: trees that are malformed are excluded and counted"),
    ] = "raise"
    most: Annotated[int, Help("examples that are read at most; 0 for all", "0")] = 0
    device: Annotated[str, Help("cpu, cuda, or auto: a GPU where there is one")] = "auto"
    precision: Annotated[
        Literal["fp32", "bf16"],
        Help("fp32, or bf16: products in bfloat16, sums and weights in float32"),
    ] = "fp32"
    seed: Annotated[
        int,
        Help("the random seed of weights, of the order of examples and of noise", "0"),
    ] = 0

    @classmethod
    def of(cls, options: Mapping[str, Any], recipe: str = "") -> TrainingSettings:
        """Settings by name, whose values may be texts, over those of a recipe; UsageProblem for one
        that there is not.
        """
        if recipe:
            check_choice("recipe", recipe, _RECIPES)
        return cls(**read_settings({**(_RECIPES[recipe] if recipe else {}), **options}))

    def __post_init__(self) -> None:
        super().__post_init__()
        if not re.fullmatch(r"auto|cpu|mps|cuda(:\d+)?", self.device):
            raise UsageProblem(f"no device {self.device!r}: choose auto, cpu, mps, cuda or cuda:1")


_PARSER: Mapping[str, Any] = {
    "hidden": 256,
    "layers": 2,
    "dim": 100,
    "epochs": 30,
    "rate": 0.002,
    "batch": 1500,
    "patience": 0,
    "longest": 250,
}
_RECIPES: Mapping[str, Mapping[str, Any]] = {
    "small": {
        "hidden": 256,
        "layers": 1,
        "decoder": 256,
        "pieces": 4000,
        "batch": 1024,
        "most": 30_000,
    },
    "paper": {"hidden": 512, "decoder": 512, "pieces": 40_000, "epochs": 30},
    "parser": _PARSER,
    "combo": {
        **_PARSER,
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
_NUMBERS = {int: "a whole number", float: "a number", bool: "true or false"}


def read_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by name, whose values may be texts; UsageProblem for one that there is not."""
    kinds = {field.name: type(field.default) for field in fields(TrainingSettings)}
    made: dict[str, Any] = {}
    for name, value in options.items():
        check_choice("setting", name, kinds)
        try:
            made[name] = _parse_setting(kinds[name], value)
        except ValueError:
            raise UsageProblem(f"{name}={value}: not {_NUMBERS[kinds[name]]}") from None
    return made


def _parse_setting(kind: type, value: Any) -> Any:
    """A value of a setting of that kind."""
    if kind is type(None):  # the file of vectors
        return None if value is None else Path(value)
    if kind is bool and isinstance(value, str):
        if value.lower() not in ("true", "false"):
            raise ValueError
        return value.lower() == "true"
    return kind(value)


@dataclass(frozen=True, kw_only=True)
class ExportOptions(Options):
    """What is converted, and to where."""

    folder: Annotated[
        str | Path,
        Help(
            "a folder written by `lingprobe train encoder`: `bilstm-max`, `lstm-last` or `mean`,"
            " with or without embedding="
        ),
        flag(metavar="FOLDER", positional=True),
    ]
    output: Annotated[
        str | Path,
        Help("the folder to write, which does not exist yet"),
        flag("-o", metavar="FOLDER"),
    ]
    epoch: Annotated[
        str | int, Help("the epoch to export: `best` (on dev), or a number"), flag(metavar="N")
    ] = "best"
    words: Annotated[
        Iterable[str | Path],
        Help("corpora whose words get vectors too, beside the vocabulary of its training"),
        flag(metavar="CORPUS"),
    ] = ()
    vectors: Annotated[
        str | Path | None,
        Help("the file of word vectors that it was trained with, if it has moved"),
        flag(metavar="FILE"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TagOptions(Options):
    """What is tagged, and with what."""

    texts: Annotated[
        str | Path | Iterable[str | Path],
        Help("running text, one sentence per line: .txt, .txt.gz or .txt.xz"),
        flag(metavar="TEXT", positional=True),
    ]
    source: Annotated[
        str | Path,
        Help("training data of the tagger: tagged text, or NLTK's brown.zip"),
        flag("--from", metavar="TAGGED"),
    ]
    output: Annotated[
        str | Path,
        Help("where to write: .tagged, .tagged.gz or .tagged.xz"),
        flag("-o", metavar="FILE"),
    ]
    seed: Annotated[int, Help("the random seed that orders the training data", "0")] = 0
    on_error: Annotated[
        Literal["raise", "skip"],
        Help("what to do about a malformed line: `raise` an error, or `skip` and count it"),
        flag(metavar="raise|skip"),
    ] = "raise"


@dataclass(frozen=True, kw_only=True)
class VectorOptions(ExcludeOptions):
    """What word vectors are trained on."""

    texts: Annotated[
        str | Path | Iterable[str | Path],
        Help("running text, one sentence or paragraph per line (.txt, .gz, .xz)"),
        flag(metavar="TEXT", positional=True),
    ]
    output: Annotated[
        str | Path,
        Help("where to write: .vec, or .bin with subwords"),
        flag("-o", metavar="FILE"),
    ]


@dataclass(frozen=True, kw_only=True)
class VectorSettings(Options):
    """How vectors are trained; the defaults are word2vec's, but for 300 dimensions as in the
    papers.
    """

    dim: Annotated[int, Help("number of dimensions", "1")] = 300
    epochs: Annotated[int, Help("number of passes over the text", "1")] = 5
    window: Annotated[int, Help("how many words of each side are a word's context", "1")] = 5
    least: Annotated[int, Help("minimum frequency of a word", "1")] = 5
    seed: Annotated[int, Help("the random seed", "0")] = 0
    skipgram: Annotated[bool, Help("use skip-gram instead of CBOW")] = False
    subwords: Annotated[
        bool,
        Help(
            "use fastText, which makes vectors of unseen words from character n-grams; written as"
            " `.bin`"
        ),
    ] = False
    english: Annotated[
        bool,
        Help(
            "quotes are made straight, and clitics split off (do n't, it 's) as English treebanks"
            " have them"
        ),
    ] = False
