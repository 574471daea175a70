"""The sentences that a run needs, and their vectors ahead of it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from lingprobe.api.arguments import argument_texts, as_list, takes_options
from lingprobe.api.measure import resolve_encoders, use_cache
from lingprobe.api.options import EmbedOptions, SentencesOptions
from lingprobe.api.tables import tasks_given
from lingprobe.corpora import brackets, conllu, text
from lingprobe.corpora.corpus import list_corpus_files as files_of
from lingprobe.corpora.files import uncompressed_path
from lingprobe.corpora.places import locate_path
from lingprobe.corpora.tally import ProblemTally
from lingprobe.corpora.text import split_words
from lingprobe.corpora.views import TREE_FILE_SUFFIXES
from lingprobe.data.cache import check_file_ending, write_text
from lingprobe.data.core import DataProblem, Encoder, Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.data.identity import ContentIdentity
from lingprobe.datasets.formats.held_rows import is_frame
from lingprobe.experiment.agreement import name_request, share_plan
from lingprobe.experiment.data import load_examples
from lingprobe.experiment.embed import EmbeddedSentences
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import resolve_tasks
from lingprobe.experiment.run import embed_ahead, encode_ahead
from lingprobe.experiment.runners import WorkerPool
from lingprobe.experiment.shards import WHOLE_WORK_SHARE, WorkShare
from lingprobe.store.precision import kept_as
from lingprobe.tasks.find import expand_tasks

log = logging.getLogger("lingprobe.data")
# what would be read as text without complaint, and is not
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xml", ".html", ".zip")


@takes_options(EmbedOptions)
def embed(
    sentences: Sequence[Sentence | str],
    encoders: Any = None,
    *,
    cache: str | Path | None = None,
    dtype: Literal["float32", "float16", "bfloat16"] = "float32",
    progress: bool = False,
    shard: str | None = None,
    project: int | None = None,
) -> dict[str, EmbeddedSentences]:
    """Encode sentences into the cache before a run, for example on a machine with a GPU. Returns
    for each encoder what was encoded, and its `vectors`.

    sentences  of `lingprobe.sentences`, or texts
    EncoderProblem for an encoder that cannot be used, UsageProblem for a table. A run with the same
    `dtype` and `project` reads the vectors from the cache.

        lingprobe.embed(lingprobe.sentences(["UD_English-EWT"]), "hf:bert-base-cased,layers=all")
        lingprobe.embed(["She sleeps.", "They sleep."], "bow:random")["bow:random"].vectors
    """
    kept_as(dtype)
    if isinstance(sentences, Mapping) or is_frame(sentences):
        raise UsageProblem(
            f"a {type(sentences).__name__} is not a list of texts: give those of its column, or"
            " what lingprobe.sentences returns"
        )
    every = [
        Sentence.of(split_words(each), each) if isinstance(each, str) else each
        for each in as_list(sentences)
    ]
    asked, part = (
        resolve_encoders(encoders, None),
        WHOLE_WORK_SHARE if shard is None else WorkShare.parse(shard),
    )
    with use_cache(cache), ExitStack() as stack:
        paths = RunPaths.of(None, cache, dtype, project)
        if shard is not None:
            file = (
                paths.cache / "vectors" / name_request("embed", paths.dtype, argument_texts(asked))
            )
            made = stack.enter_context(
                share_plan(file, 1, lambda: encode_ahead(asked, every, paths), _identities)
            )
        else:
            made = encode_ahead(asked, every, paths)
        return embed_ahead(made, every, paths, progress, WorkerPool(shard=part))


@takes_options(SentencesOptions)
def sentences(
    corpora: str | Path | Iterable[str | Path] = (),
    tasks: Any = (),
    *,
    output: str | Path | None = None,
    cache: str | Path | None = None,
) -> list[Sentence]:
    """The distinct sentences of corpora and of all folds of tasks: those that a run would encode.

    DataProblem if a task's data cannot be used, UsageProblem if nothing is given.

        print(len(lingprobe.sentences(["UD_English-EWT"], tasks="ud/tense:UD_English-GUM")))
    """
    check_file_ending(output, ".txt")
    with use_cache(cache):
        every = [one for corpus in as_list(corpora) for _, one in named_sentences(str(corpus))]
        by_name, refused = resolve_tasks(
            expand_tasks(tasks_given(tasks)), RunPaths.of(None, cache).cache
        )
        if refused:
            raise DataProblem("; ".join(refused.values()))
        every += [
            sentence for task in by_name.values() for sentence in load_examples(task).sentences
        ]
    if not every:
        raise UsageProblem(
            "give a corpus (a treebank, or a file with one sentence per line) or a task"
        )
    distinct = list(dict.fromkeys(every))
    if output is not None:
        lines = (" ".join(sentence.text.split()) for sentence in distinct)
        write_text(Path(output), "".join(f"{line}\n" for line in lines))
    return distinct


def _identities(
    made: Mapping[str, tuple[Encoder, ContentIdentity]],
) -> tuple[dict[str, str], dict[str, str]]:
    return {f"encoder {name}": str(known) for name, (_, known) in made.items()}, {}


def named_sentences(corpus: str) -> Iterator[tuple[str, Sentence]]:
    """The sentences of a treebank in CoNLL-U or in brackets, or of a file of text, each with its
    sent_id ('' for none).
    """
    place = locate_path(corpus)
    if (
        place.is_file()
        and (ending := uncompressed_path(place).suffix.lower()) not in TREE_FILE_SUFFIXES
    ):
        if ending in _TABLES:
            raise DataProblem(
                f"{place}: a {ending} file does not have a sentence per line; write its sentences"
                " to a .txt file, or name a task on it"
            )
        yield from (("", sentence) for sentence in text.read_running_text(place))
        return
    for part in files_of([corpus], TREE_FILE_SUFFIXES):
        if uncompressed_path(part.path).suffix.lower() in brackets.BRACKET_SUFFIXES:
            yield from (("", sentence) for sentence in _read_brackets(part.path))
        else:
            yield from ((tree.sent_id, tree.sentence) for tree in conllu.read_conllu(part.path))


def _read_brackets(path: Path) -> Iterator[Sentence]:
    """The sentences of bracketed trees; malformed ones are passed over, which is said."""
    tally = ProblemTally()
    yield from (tree.sentence for tree in brackets.read_brackets(path, "skip", tally))
    if tally.skipped:
        log.warning("%s: %d malformed trees were passed over", path, tally.skipped)
