"""The options of functions and commands, each written once; nothing is imported to compute with.

Of what is made from them, `data/options.py` tells. Functions have them as keywords, commands add
groups of `cli/options.py` to them, and experiments have those of a run as keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe.data.options import PYTHON_ONLY, Help, Options, argument, flag

SPEED, MORE = "Speed and storage", "Further options"
"""What groups of options are called in help."""


# ---- groups that functions share


@dataclass(frozen=True, kw_only=True)
class CacheOptions(Options):
    """Where vectors are kept."""

    cache: Annotated[
        str | Path | None,
        Help("the folder of vectors (default: $LINGPROBE_CACHE, or the user's cache folder)"),
        flag(metavar="FOLDER", panel=SPEED),
    ] = None


@dataclass(frozen=True, kw_only=True)
class FaultOptions(Options):
    """What happens to data that are damaged."""

    on_error: Annotated[
        Literal["raise", "skip"],
        Help(
            "what to do about a malformed sentence in a treebank: `raise` an error for the task, or"
            " `skip` and count it"
        ),
        flag(metavar="raise|skip", panel=MORE),
    ] = "raise"


@dataclass(frozen=True, kw_only=True)
class ShardOptions(Options):
    """What part of the work is done here."""

    shard: Annotated[
        str | None,
        Help(
            "this machine's share of the work, such as `3/16`, or `slurm` in a SLURM array; after"
            " its share, it does what the others have left"
        ),
        flag(metavar="N/OF", panel=SPEED),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ProgressOptions(Options):
    """Whether work is seen."""

    progress: Annotated[bool, Help("whether bars are drawn on standard error"), PYTHON_ONLY] = False


@dataclass(frozen=True, kw_only=True)
class LimitOptions(Options):
    """How much of the data is used."""

    limit: Annotated[
        int | None,
        Help(
            "at most this many examples of each task, for a first look; tables mark such tasks",
            "1",
        ),
        flag(metavar="N"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ResultsOptions(Options):
    """Results that were written before."""

    results: Annotated[
        Any,
        Help("results of `run -o` (default: the last run)"),
        argument("FOLDER", kind=Path),
    ] = None
    experiment: Annotated[
        str | int | None,
        Help(
            "which run: `last`, a number counting back from the last (1), or `all` (default: all of"
            " a named folder, else the last)"
        ),
        flag(metavar="N"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SelectionOptions(ResultsOptions):
    """Which results are meant; all, without."""

    tasks: Annotated[
        Sequence[str] | None,
        Help("only tasks with this name or pattern, such as `edge/*`"),
        flag("--task", "-t", metavar="PATTERN"),
    ] = None
    encoders: Annotated[
        Sequence[str] | None,
        Help("only encoders with this name or pattern, such as `hf:*`"),
        flag("--encoder", "-e", metavar="PATTERN"),
    ] = None
    layers: Annotated[
        Sequence[str] | None,
        Help("only results with this selection of layers, such as `lex` or `mix*`"),
        flag(metavar="PATTERN"),
    ] = None
    metric: Annotated[
        str | None,
        Help("score the same answers with another metric, such as `spearman`"),
        flag(metavar="METRIC"),
    ] = None
    trust: Annotated[
        bool | None,
        Help("run code in files (`mine.py@thing`) that the results name, not only what you name"),
    ] = None


# ---- runs


@dataclass(frozen=True, kw_only=True)
class MeasureOptions(CacheOptions):
    """How encoders are probed, and where it is kept."""

    probes: Annotated[
        Sequence[str],
        Help("probes, such as `linear` or `mlp` (default: each task's own)"),
        flag("--probe", metavar="PROBE", complete="probes"),
    ] = ()
    layers: Annotated[
        Sequence[str],
        Help(
            "which layers the probe sees: one by name, `top`, `layers`, `cat:lex+top`, `mix`,"
            " `mix:0-3` or `cumulative` (default: each layer alone)"
        ),
        flag(metavar="LAYERS"),
    ] = ()
    seeds: Annotated[
        int | None,
        Help("how often each probe is trained (default: 5)", "1"),
        flag(metavar="N"),
    ] = None
    output: Annotated[
        str | Path | None,
        Help(
            "the folder of results, with MODEL/TASK.json and results.parquet to read (default: the"
            " user's cache folder)"
        ),
        flag("-o", metavar="FOLDER"),
    ] = None
    dtype: Annotated[
        Literal["float32", "float16", "bfloat16", "none"],
        Help(
            "how vectors are stored: `float32`, `float16` (values below 65,504), `bfloat16` (two"
            " digits), or `none`, only until they are measured"
        ),
        flag(metavar="DTYPE", panel=SPEED),
    ] = "float32"


@dataclass(frozen=True, kw_only=True)
class PlanOptions(LimitOptions, FaultOptions, MeasureOptions):
    """What decides the plan of a run, beside its tasks and encoders."""

    suite: Annotated[
        str | None,
        Help(
            "a paper's tasks, protocol and table, such as `ud2019:TREEBANK`, instead of tasks and"
            " probes (`lingprobe suites` lists them)"
        ),
        flag(metavar="SUITE", complete="suites"),
    ] = None
    controls: Annotated[
        Sequence[str],
        Help("controls to measure beside the scores, such as `shuffled`"),
        flag("--control", metavar="CONTROL", complete="controls"),
    ] = ()
    baselines: Annotated[
        bool,
        Help(
            "also measure the default baselines and oracle of each task, fitted once with the same"
            " probe"
        ),
        flag(panel=MORE),
    ] = True
    copies: Annotated[
        bool,
        Help(
            "beside these also measure untrained copies of each transformer (random weights, and"
            " random blocks over trained embeddings), and its input embeddings"
        ),
        flag(panel=MORE),
    ] = True
    keep_scores: Annotated[
        bool,
        Help(
            "also store the probe's scores of all labels, for V-information, calibration and"
            " `lingprobe predictions` (2 bytes per example and label)"
        ),
        flag(panel=MORE),
    ] = False
    probe_device: Annotated[
        str,
        Help(
            "where probes are fitted: `cpu`, `cuda`, `cuda:1`, or `auto` (CUDA where there is one)"
        ),
        flag(metavar="DEVICE", panel=SPEED),
    ] = "cpu"
    project: Annotated[
        int | None,
        Help(
            "store wider vectors with this many dimensions, by a random projection that is always"
            " the same",
            "1",
        ),
        flag(metavar="N", panel=SPEED),
    ] = None
    memory: Annotated[
        str | None,
        Help("most memory of fits, such as `8GB` (default: three quarters of what is free)"),
        flag(metavar="SIZE", panel=SPEED),
    ] = None


@dataclass(frozen=True, kw_only=True)
class JobsOptions(Options):
    """How many processes work."""

    jobs: Annotated[
        int | str,
        Help(
            "how many processes fit probes in parallel; or `ray`, a cluster that encodes and fits:"
            " `ray:10.0.0.1:6379,cpus=4,gpus=1` (docs/cluster.md)"
        ),
        flag("-j", metavar="N|ray", panel=SPEED),
    ] = 1


@dataclass(frozen=True, kw_only=True)
class RunOptions(ProgressOptions, ShardOptions, JobsOptions, PlanOptions):
    """How encoders are probed on tasks."""

    reproducible: Annotated[
        bool,
        Help(
            "compute in float32 with one thread: slower, but the same numbers on all processors of"
            " one kind"
        ),
        flag(panel=MORE),
    ] = False
    log_to: Annotated[
        str | None,
        Help(
            "a tracker that gets the scores, by task and layer, each encoder as one of its runs:"
            " `tensorboard:FOLDER` (default: runs) or `wandb:PROJECT`"
        ),
        flag(metavar="TRACKER", panel=MORE),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ProbedOptions(Options):
    """What is probed, and on what."""

    tasks: Annotated[
        Any,
        Help(
            "tasks with their data, such as `ud/tense:en_ewt`, or a pattern, such as `ud/*:en_ewt`"
            " (default: three on a built-in corpus, with a linear probe)"
        ),
        flag("--task", "-t", metavar="TASK", complete="tasks"),
    ] = None
    encoders: Annotated[
        Any,
        Help(
            "encoders, such as `hf:bert-base-cased,layers=all` or `npz:FILE` (`lingprobe encoders`"
            " lists all kinds), or the name of a model on the hub or its folder (default: an"
            " untrained network)"
        ),
        flag("--encoder", "-e", metavar="ENCODER", complete="encoders"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ModelOptions(Options):
    """Models by their names, and options of encoders."""

    models: Annotated[
        Sequence[str],
        Help(
            "a model by its name on the Hugging Face hub, or its folder: loaded with"
            " sentence-transformers if possible, else with transformers; for tasks about words its"
            " subwords (`hf:NAME,pool=none`)"
        ),
        flag("--model", "-m", metavar="NAME"),
    ] = ()
    device: Annotated[
        str | None,
        Help("default device for models: cpu, cuda, cuda:1 or mps (default: the fastest)"),
        flag(metavar="DEVICE", panel=SPEED),
    ] = None
    batch_size: Annotated[
        int | None,
        Help(
            "sentences per batch, for encoders with the option batch_size; hf and st have tokens"
            " per batch instead (`st:NAME,tokens=2048`)",
            "1",
        ),
        flag(metavar="N", panel=SPEED),
    ] = None


@dataclass(frozen=True, kw_only=True)
class LanguageOptions(Options):
    """Languages whose treebanks are found."""

    languages: Annotated[
        Sequence[str],
        Help(
            "run tasks (`-t ud/tense`, without data) on all treebanks of a language (pol, pl,"
            " Polish) in the working folder, or in $LINGPROBE_TREEBANKS"
        ),
        flag("--language", "-l", metavar="LANGUAGE"),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class ExperimentFile(Options):
    """An experiment that is described in a file."""

    file: Annotated[
        str | Path,
        Help(
            "the experiment, as TOML. Its `output` is the folder of results; code that it names"
            " (`mine.py@thing`) must be in the file's own folder, and is run only from there"
        ),
        argument("FILE"),
    ]


@dataclass(frozen=True, kw_only=True)
class StoredVectors(CacheOptions):
    """How vectors are kept that are not probed at once."""

    dtype: Annotated[
        Literal["float32", "float16", "bfloat16"],
        Help("how vectors are stored, the same as in the run: `float32`, `float16` or `bfloat16`"),
        flag(metavar="DTYPE", panel=SPEED),
    ] = "float32"


@dataclass(frozen=True, kw_only=True)
class EmbedOptions(ProgressOptions, ShardOptions, StoredVectors):
    """How sentences are encoded ahead of a run."""

    encoders: Annotated[
        Any,
        Help("encoders, such as `hf:bert-base-cased,layers=all` (default: an untrained network)"),
        flag("--encoder", "-e", metavar="ENCODER", complete="encoders"),
    ] = None
    project: Annotated[
        int | None,
        Help(
            "store wider vectors with this many dimensions, by a random projection that is always"
            " the same",
            "1",
        ),
        flag(metavar="N", panel=SPEED),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SentencesOptions(CacheOptions):
    """Which sentences are meant."""

    corpora: Annotated[
        Any,
        Help(
            "treebanks (CoNLL-U, or trees in brackets), and text files with one sentence per line"
        ),
        argument("CORPUS"),
    ] = ()
    tasks: Annotated[
        Any,
        Help(
            "tasks with their data, such as `ud/tense:en_ewt`, or a pattern, such as `ud/*:en_ewt`"
        ),
        flag("--task", "-t", metavar="TASK", complete="tasks"),
    ] = ()
    output: Annotated[
        str | Path | None,
        Help("write the sentences to this file, one per line, instead of encoding them"),
        flag("--list", metavar="FILE"),
    ] = None


# ---- machines


@dataclass(frozen=True, kw_only=True)
class StatusOptions(CacheOptions):
    """Whose progress is shown."""

    folder: Annotated[
        str | Path | None,
        Help("results of `run -o` (default: the last run)"),
        argument("FOLDER"),
    ] = None
    experiment: Annotated[
        str | int,
        Help("which run: `last`, or a number counting back from the last (1)"),
        flag(metavar="N"),
    ] = "last"


@dataclass(frozen=True, kw_only=True)
class SlurmOptions(Options):
    """What each task of a SLURM array gets."""

    arguments: Annotated[
        Sequence[str],
        Help("a `run`, `experiment` or `embed` command, after `--`"),
        argument("-- COMMAND"),
    ]
    shards: Annotated[int, Help("number of tasks in the array", "1"), flag(metavar="N")]
    at_once: Annotated[
        int, Help("most tasks to run at the same time; 0 for all", "0"), flag(metavar="N")
    ] = 0
    cpus: Annotated[int, Help("processors per task", "1"), flag(metavar="N")] = 1
    gpus: Annotated[int, Help("GPUs per task", "0"), flag(metavar="N")] = 0
    memory: Annotated[str, Help("memory per task, such as 16G"), flag(metavar="SIZE")] = ""
    time: Annotated[str, Help("time limit per task, such as 4:00:00"), flag(metavar="TIME")] = ""
    partition: Annotated[str, Help("the SLURM partition"), flag(metavar="NAME")] = ""
    sbatch: Annotated[
        Sequence[str],
        Help("another option of sbatch, such as `--sbatch=--account=mine`"),
        flag(metavar="OPTION"),
    ] = ()


# ---- results


@dataclass(frozen=True, kw_only=True)
class ReportOptions(SelectionOptions):
    """How results are shown."""

    suite: Annotated[
        str | None,
        Help(
            "show the results in a paper's table, such as `conneau2018` (`lingprobe suites` lists"
            " them)"
        ),
        flag(metavar="SUITE", complete="suites"),
    ] = None
    human: Annotated[
        Sequence[str | Path],
        Help(
            "human labels: with a suite, bounds written by `lingprobe annotate --score`; for the"
            " HTML page, filled sheets"
        ),
        flag(metavar="FILE"),
    ] = ()
    each: Annotated[
        bool, Help("one table per task, with full intervals, and controls next to the scores")
    ] = False
    classes: Annotated[bool, Help("counts and F1 by class or label instead of scores")] = False
    bits: Annotated[
        bool,
        Help("V-information and calibration instead of scores, for results with `--keep-scores`"),
    ] = False
    headroom: Annotated[
        bool,
        Help(
            "gains over word embeddings, error reduction, and how much of it local context, random"
            " weights or a bag of words reach; can be drawn, too"
        ),
    ] = False
    by: Annotated[
        str | None,
        Help("scores by a subgroup of the test examples, such as `distance`; can be drawn, too"),
        flag(metavar="SUBGROUP"),
    ] = None
    view: Annotated[
        str | None,
        Help(
            "one of these by name, such as `by:distance`, or `mine.py@view` (`lingprobe list views`"
            " shows them)"
        ),
        flag(metavar="VIEW", complete="views"),
    ] = None
    figure: Annotated[
        str,
        Help(
            "the figure, if a file is drawn, and in HTML: `dots` (with intervals), `heat` (a heat"
            " map), `radar`, `layers` (curves over layers) or `mine.py@figure`"
        ),
        flag(metavar="FIGURE", complete="figures"),
    ] = "dots"


@dataclass(frozen=True, kw_only=True)
class CompareOptions(SelectionOptions):
    """What is compared with what, and how."""

    against: Annotated[
        str | None,
        Help(
            "compare all others with this encoder, by name or pattern (default: each with the best"
            " baseline)"
        ),
        flag("-a", metavar="PATTERN"),
    ] = None
    pairs: Annotated[bool, Help("compare all pairs of encoders and layers")] = False
    correction: Annotated[
        Literal["bonferroni", "bh"],
        Help(
            "the correction of p values and intervals for all comparisons of the call:"
            " `bonferroni`, or `bh` (Benjamini-Hochberg)"
        ),
    ] = "bonferroni"
    test: Annotated[
        Literal["t", "permutation", "bootstrap"],
        Help(
            "the test: `t` (a jackknife over clusters and seeds), `permutation` (McNemar's exact"
            " test, for one seed, accuracy and independent examples) or `bootstrap`"
        ),
    ] = "t"


@dataclass(frozen=True, kw_only=True)
class RelateOptions(SelectionOptions):
    """What is correlated with what, and how."""

    with_: Annotated[
        str | Path | Sequence[str | Path],
        Help("scores from elsewhere, as further columns: a CSV file, or `mteb:FOLDER`"),
        flag(metavar="SOURCE", kind=list[str]),
    ] = ()
    method: Annotated[Literal["spearman", "pearson", "kendall"], Help("the correlation")] = (
        "spearman"
    )
    correction: Annotated[
        Literal["holm", "bh"],
        Help("the correction of p values for all pairs: `holm`, or `bh` (Benjamini-Hochberg)"),
    ] = "holm"
    rows: Annotated[
        str | Sequence[str],
        Help("tasks (or columns of scores) to show as rows, by name or pattern"),
        flag(metavar="PATTERN"),
    ] = ()
    columns: Annotated[
        str | Sequence[str], Help("those to show as columns"), flag(metavar="PATTERN")
    ] = ()
    family: Annotated[
        str | None,
        Help(
            "a regular expression: encoders whose names have the same match are one family,"
            " permuted and resampled together (default: layers and poolings of one model)"
        ),
        flag(metavar="REGEX"),
    ] = None
    families: Annotated[
        str | Path | None,
        Help("a CSV file of families, with columns encoder and family"),
        flag(metavar="FILE"),
    ] = None
    within: Annotated[
        str | None,
        Help("the same for smaller groups, to correlate within them"),
        flag(metavar="REGEX"),
    ] = None
    constant: Annotated[bool, Help("keep encoders with constant vectors")] = False
    languages: Annotated[
        str | Sequence[str],
        Help("correlate two languages, such as `en,pl`, over encoders and over tasks"),
        flag(metavar="A,B", kind=str),
    ] = ()
    published: Annotated[
        Literal["conneau2018", "ud2019"] | None,
        Help("correlate the scores of a paper's table instead of results"),
    ] = None
    figure: Annotated[
        Literal["heat", "within", "dots", "radar", "scores"],
        Help(
            "the figure, if a file is drawn, and in HTML: `heat`, `within` (a heat map of"
            " correlations within families) or `dots` (with intervals); with languages `dots`,"
            " `radar` or `scores`"
        ),
    ] = "heat"
    seed: Annotated[int, Help("the random seed", "0")] = 0


@dataclass(frozen=True, kw_only=True)
class CurveOptions(SelectionOptions):
    """What is followed through training."""

    by: Annotated[
        str,
        Help(
            "compare trainings that differ only in a setting, such as `hidden`, each at its best"
            " epoch, instead of epochs; their folders must exist"
        ),
        flag(metavar="SETTING"),
    ] = ""
    seed: Annotated[
        int, Help("the random seed of permutations, used with ten points or more", "0")
    ] = 0


@dataclass(frozen=True, kw_only=True)
class CardOptions(SelectionOptions):
    """What goes into the cards of models."""

    benchmark: Annotated[
        str | None,
        Help("a benchmark of the hub with the same task names, to also write .eval_results/"),
        flag(metavar="OWNER/NAME"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class PredictionsOptions(SelectionOptions):
    """Where predictions are written, and how."""

    format: Annotated[
        Literal["jsonl", "jiant"], Help("JSON lines (`jsonl`), or files for `jiant`"), flag("-f")
    ] = "jsonl"
    output: Annotated[
        str | Path, Help("the folder to write, one file per fit"), flag("-o", metavar="FOLDER")
    ] = "predictions"


@dataclass(frozen=True, kw_only=True)
class HoldingsOptions(CacheOptions):
    """What is looked through for what it holds."""

    results: Annotated[
        str | Path | None,
        Help("results of `run -o` (default: those in the cache)"),
        argument("FOLDER"),
    ] = None


# ---- data


@dataclass(frozen=True, kw_only=True)
class BuildOptions(FaultOptions):
    """How the data set of a task is written."""

    task: Annotated[
        Any,
        Help("a task with its data, such as `ud/tense:en_ewt`"),
        argument("TASK...", kind=list[str]),
    ]
    output: Annotated[
        str | Path,
        Help("where to write; the suffix determines the format"),
        flag("-o", metavar="FILE"),
    ]
    format: Annotated[
        Literal["parquet", "jsonl", "senteval", "jiant"] | None,
        Help("the format (default: that of the suffix)"),
    ] = None
    hub: Annotated[
        bool,
        Help(
            "write a new folder for the Hugging Face hub: a set for each task, a card, and files"
            " for mteb and lm-eval"
        ),
    ] = False
    licence: Annotated[
        str | None,
        Help("the licence of the data for the hub, where lingprobe knows no open one"),
        flag(metavar="TEXT"),
    ] = None
    audit: Annotated[
        str | Path | None,
        Help("also write the audit of `inspect`, with baselines, to this file, as Markdown"),
        flag(metavar="FILE"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class InspectOptions(FaultOptions, CacheOptions):
    """What of a data set is shown."""

    task: Annotated[
        Any,
        Help("a task with its data, such as `ud/tense:en_ewt`"),
        argument("TASK", kind=str),
    ]
    sample: Annotated[int, Help("number of examples to show", "0"), flag(metavar="N")] = 20
    seed: Annotated[int, Help("the random seed that selects the examples", "0")] = 0
    checks: Annotated[
        str | Sequence[str],
        Help(
            "further checks of your own, such as `mine.py@check` (`lingprobe list checks` shows"
            " ours)"
        ),
        flag("--check", metavar="CHECK", complete="checks"),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class FetchOptions(Options):
    """What is downloaded, from where to where."""

    name: Annotated[
        str,
        Help(
            "a data set, or a treebank such as `ud/en_ewt`, or with a release `ud/en_ewt@2.16`; a"
            " pattern such as `ud/pl_*` lists its matches (default: list everything)"
        ),
        argument("NAME"),
    ] = ""
    output: Annotated[
        str | Path | None,
        Help("the folder to write (default: where tasks look for it)"),
        flag("-o", metavar="FOLDER"),
    ] = None
    mirror: Annotated[
        str | None,
        Help(
            "the URL of a mirror (default: the publisher's, or $LINGPROBE_MIRROR: a web server over"
            " the folder `data` of somebody's cache)"
        ),
        flag("--from", metavar="URL"),
    ] = None
    only: Annotated[
        str, Help("only files that match, such as `*/te.txt`"), flag(metavar="PATTERN")
    ] = "*"


@dataclass(frozen=True, kw_only=True)
class ParseOptions(Options):
    """What is parsed, and how."""

    texts: Annotated[
        str | Path | Iterable[str | Path],
        Help("running text: .txt, also .gz, .xz, .zst, or .zip with such files"),
        argument("TEXT"),
    ]
    parser: Annotated[
        Any,
        Help(
            "a folder that `lingprobe train parser` wrote, or a parser such as"
            " `udpipe:english.udpipe` (`lingprobe list parsers` shows them)"
        ),
        flag("--with", metavar="PARSER", complete="parsers", kind=str),
    ]
    output: Annotated[
        str | Path,
        Help(
            "the folder to write: shards 00000.conllu.zst (and .trees.zst), and parsed.json, which"
            " records the texts, the parser, and what was left out"
        ),
        flag("-o", metavar="FOLDER"),
    ]
    tokens: Annotated[
        str,
        Help(
            "the tokenizer: `rules`, or a parser that has one, such as `udpipe:MODEL` (default: the"
            " parser's own, else rules)"
        ),
        flag(metavar="TOKENIZER"),
    ] = ""
    lines: Annotated[
        bool, Help("the text has one sentence per line; otherwise a blank line ends a paragraph")
    ] = False
    longest: Annotated[
        int, Help("leave out and count sentences with more words than this", "1")
    ] = 500
    share: Annotated[
        str,
        Help("do a part of the work, such as `2/3` for the second of three runs that share it"),
        flag(metavar="K/N"),
    ] = "1/1"


@dataclass(frozen=True, kw_only=True)
class ParserAuditOptions(Options):
    """What a parser is measured on."""

    gold: Annotated[
        str | Path,
        Help(
            "a treebank that the parser was not trained on: CoNLL-U, brackets, or a folder of both;"
            " if file names mark splits, only test is used"
        ),
        argument("GOLD"),
    ]
    parsed: Annotated[
        Any,
        Help(
            "the same sentences as parsed: a folder that `lingprobe parse` wrote, or other files;"
            " or a parser, such as `udpipe:MODEL`, which then gets the gold words"
        ),
        argument("PARSED", kind=Path),
    ]
    into: Annotated[
        str | Path | Iterable[str | Path],
        Help(
            "store the audit in corpora made with this parser, so that tables of tasks on them show"
            " it"
        ),
        flag(metavar="FOLDER"),
    ] = ()


# ---- lists


@dataclass(frozen=True, kw_only=True)
class PatternOptions(Options):
    """Which of a kind are listed."""

    pattern: Annotated[
        str | None,
        Help("one of them, with its full description, or a pattern"),
        argument("NAME", complete="listed"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TaskFilter(PatternOptions):
    """Which tasks are listed."""

    language: Annotated[
        str,
        Help("only tasks with data in this language, a code (`pl`, `pol`) or a name (`Polish`)"),
        flag("-l", metavar="LANGUAGE"),
    ] = ""
    paper: Annotated[
        str, Help("only tasks of a paper, such as `conneau2018`"), flag(metavar="PAPER")
    ] = ""
    unit: Annotated[
        str,
        Help(
            "only tasks about a `sentence`, its asked `words`, a `word`, a `span` or a pair of"
            " spans"
        ),
        flag(metavar="UNIT"),
    ] = ""
    licence: Annotated[
        Literal["open"] | None,
        Help("only tasks with data that are free to use and share (`open`), or your own"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ListOptions(Options):
    """What is listed."""

    kind: Annotated[
        str,
        Help(
            "what to list: `tasks`, `encoders`, `probes`, `controls`, `metrics`, `suites`,"
            " `parsers`, `objectives`, `languages`, `checks`, `views` or `figures` (default: the"
            " kinds)"
        ),
        argument("KIND", complete="kinds"),
    ] = ""
    pattern: Annotated[
        str | None,
        Help("one of them, with its full description, or a pattern"),
        argument("NAME", complete="listed"),
    ] = None
