"""The options of functions and commands, each written once; nothing is imported to compute with.

Of what is made from them, `data/options.py` tells. Functions have them as keywords, commands add
groups of `cli/options.py` to them, and experiments have those of a run as keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe.data.options import PYTHON_ONLY, Help, Options, declare_argument, flag

_SPEED, _MORE = "Speed and storage", "Further options"
"""What groups of options are called in help."""


# ---- groups that functions share


@dataclass(frozen=True, kw_only=True)
class CacheOptions(Options):
    """Where vectors are kept."""

    cache: Annotated[
        str | Path | None,
        Help("the folder of vectors (default: $LINGPROBE_CACHE, or the user's cache folder)"),
        flag(metavar="FOLDER", panel=_SPEED),
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
        flag(metavar="raise|skip", panel=_MORE),
    ] = "raise"


@dataclass(frozen=True, kw_only=True)
class ShardOptions(Options):
    """What part of the work is done here."""

    shard: Annotated[
        str | None,
        Help(
            "this machine's share of the work, as `3/16`, or `slurm` in a SLURM array; then it does"
            " what others left"
        ),
        flag(metavar="N/OF", panel=_SPEED),
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
            "at most this many examples of each task, for a preview; tables mark such tasks",
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
        declare_argument("FOLDER", kind=Path),
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

ChosenBaselines = Annotated[
    Literal["default", "strong", "none"],
    Help(
        "which baselines are measured: `default`, read by the same probe; `strong`,"
        " surface baselines also by `mlp`; or `none`"
    ),
    flag(metavar="BASELINES", panel=_MORE),
]
"""The baselines of a run."""


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
            "which layers the probe sees: one by name, `top`, `layers`, `cat:lex+top`, `first64:6`"
            " (or `random64:6`), `mix`, `mix:0-3` or `cumulative` (default: each layer alone)"
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
        flag(metavar="DTYPE", panel=_SPEED),
    ] = "float32"


@dataclass(frozen=True, kw_only=True)
class PlanOptions(LimitOptions, FaultOptions, MeasureOptions):
    """What decides the plan of a run, beside its tasks and encoders."""

    suite: Annotated[
        str | None,
        Help(
            "a paper's tasks, protocol and table, such as `ud2019:TREEBANK`, instead of tasks and"
            " probes (`lingprobe list suites` lists them)"
        ),
        flag(metavar="SUITE", complete="suites"),
    ] = None
    controls: Annotated[
        Sequence[str],
        Help("controls to measure beside the scores, such as `shuffled`"),
        flag("--control", metavar="CONTROL", complete="controls"),
    ] = ()
    baselines: ChosenBaselines = "default"
    copies: Annotated[
        bool,
        Help(
            "beside these also measure untrained copies of each transformer (random weights, and"
            " random blocks over trained embeddings), and its input embeddings"
        ),
        flag(panel=_MORE),
    ] = True
    keep_scores: Annotated[
        bool,
        Help(
            "also store the probe's scores of all labels, for V-information, calibration and"
            " `lingprobe results predictions` (2 bytes per example and label)"
        ),
        flag(panel=_MORE),
    ] = False
    texts: Annotated[
        bool,
        Help(
            "also store the texts of test examples, once, so that predictions and pages show them"
            " without the data"
        ),
        flag(panel=_MORE),
    ] = True
    probe_device: Annotated[
        str,
        Help(
            "where probes are fitted: `cpu`, `cuda`, `cuda:1`, or `auto` (CUDA where there is one)"
        ),
        flag(metavar="DEVICE", panel=_SPEED),
    ] = "cpu"
    project: Annotated[
        int | None,
        Help(
            "store wider vectors with this many dimensions, by a random projection that is always"
            " the same",
            "1",
        ),
        flag(metavar="N", panel=_SPEED),
    ] = None
    memory: Annotated[
        str | None,
        Help("most memory of fits, such as `8GB` (default: three quarters of what is free)"),
        flag(metavar="SIZE", panel=_SPEED),
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
        flag("-j", metavar="N|ray", panel=_SPEED),
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
        flag(panel=_MORE),
    ] = False
    log_to: Annotated[
        str | None,
        Help(
            "a tracker that gets the scores, by task and layer, each encoder as one of its runs:"
            " `tensorboard:FOLDER` (default: runs) or `wandb:PROJECT`"
        ),
        flag(metavar="TRACKER", panel=_MORE),
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
            "a model by its name on the hub, or its folder: loaded with sentence-transformers if"
            " possible, else with transformers; for tasks about words its subwords"
        ),
        flag("--model", "-m", metavar="NAME"),
    ] = ()
    device: Annotated[
        str | None,
        Help("default device for models: cpu, cuda, cuda:1 or mps (default: the fastest)"),
        flag(metavar="DEVICE", panel=_SPEED),
    ] = None
    batch_size: Annotated[
        int | None,
        Help(
            "sentences per batch, for encoders with the option batch_size; hf and st have tokens"
            " per batch instead (`st:NAME,tokens=2048`)",
            "1",
        ),
        flag(metavar="N", panel=_SPEED),
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
            "the experiment, as TOML; code that it names (`mine.py@thing`) is run from the file's"
            " own folder alone"
        ),
        declare_argument("FILE"),
    ]


@dataclass(frozen=True, kw_only=True)
class StoredVectors(CacheOptions):
    """How vectors are kept that are not probed at once."""

    dtype: Annotated[
        Literal["float32", "float16", "bfloat16"],
        Help("how vectors are stored, the same as in the run: `float32`, `float16` or `bfloat16`"),
        flag(metavar="DTYPE", panel=_SPEED),
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
        flag(metavar="N", panel=_SPEED),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SentencesOptions(CacheOptions):
    """Which sentences are meant."""

    corpora: Annotated[
        Any,
        Help(
            "treebanks (CoNLL-U, or trees in brackets), and text files with one sentence per line"
        ),
        declare_argument("CORPUS"),
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
        declare_argument("FOLDER"),
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
        declare_argument("-- COMMAND"),
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
