"""UDPipe 1 (Straka and Straková 2017), by its own library: it tokenises, tags and parses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from lingprobe.annotators.parser import Annotation, Words
from lingprobe.annotators.segment import SegmentedSentence
from lingprobe.corpora import conllu
from lingprobe.corpora.files import digest_files
from lingprobe.corpora.trees import MultiwordToken, format_conllu_tree
from lingprobe.data.cache import open_draft
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import describe_install
from lingprobe.data.options import Help


def import_udpipe() -> Any:
    """The module ufal.udpipe; a DataProblem says how to get it."""
    try:
        import ufal.udpipe
    except ImportError:
        raise DataProblem(f"UDPipe needs ufal.udpipe: {describe_install('parse')}") from None
    return ufal.udpipe


@dataclass(frozen=True)
class UDPipeParser:
    """UDPipe 1, which tokenises, tags and parses with its own model. Needs the extra `parse`."""

    model: Annotated[
        Path,
        Help("a file of UDPipe 1, as english-ewt-ud-2.5-191206.udpipe"),
    ]

    @property
    def name(self) -> str:
        """UDPipe and the model's file."""
        return f"udpipe {self.model.name}"

    @property
    def fingerprint(self) -> str:
        """The model's content and the version of UDPipe."""
        version = import_udpipe().Version.current()
        return (
            f"{digest_files([self.model])} udpipe {version.major}.{version.minor}.{version.patch}"
        )

    def annotate(self, sentences: Sequence[Words]) -> Iterator[Annotation]:
        udpipe, model = import_udpipe(), self._model
        for words in sentences:
            tree = udpipe.Sentence()
            for word in words:
                tree.addWord(word)
            if not (model.tag(tree, model.DEFAULT) and model.parse(tree, model.DEFAULT)):
                raise DataProblem(f"{self.model}: has no tagger or no parser; train it with both")
            yield _annotation([tree.words[i] for i in range(1, len(words) + 1)])

    def segment(self, text: str, *, is_sentence: bool = False) -> Iterator[SegmentedSentence]:
        udpipe, model = import_udpipe(), self._model
        cutter = model.newTokenizer(model.TOKENIZER_PRESEGMENTED if is_sentence else model.DEFAULT)
        if cutter is None:
            raise DataProblem(f"{self.model}: has no tokenizer; write --tokens rules")
        cutter.setText(text)
        tree, error = udpipe.Sentence(), udpipe.ProcessingError()
        while cutter.nextSentence(tree, error):
            words = tuple("".join(tree.words[i].form.split()) for i in range(1, tree.words.size()))
            ranges = [
                MultiwordToken(t.idFirst - 1, t.idLast, t.form, "_") for t in tree.multiwordTokens
            ]
            if words:
                yield SegmentedSentence(words, " ".join(tree.getText().split()), tuple(ranges))

    @cached_property
    def _model(self) -> Any:
        if not self.model.is_file():
            raise DataProblem(f"no file {str(self.model)!r}; name a model of UDPipe 1")
        model = import_udpipe().Model.load(str(self.model))
        if model is None:
            raise DataProblem(f"{self.model} is not a model of UDPipe 1 (UDPipe 2 is a server)")
        return model


def train_udpipe(
    learnt: Iterable[Path],
    output: Path,
    *,
    held: Iterable[Path] = (),
    tokenizer: str = "",
    tagger: str = "",
    parser: str = "",
) -> None:
    """Train a model of UDPipe on files in CoNLL-U, and write it; by those of `held` it chooses when
    to stop.

    tokenizer, tagger, parser  their options, as UDPipe's manual has them: 'epochs=20;dimension=64'
    """
    udpipe, error = import_udpipe(), import_udpipe().ProcessingError()
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        _read_udpipe_sentences(learnt),
        _read_udpipe_sentences(held),
        tokenizer,
        tagger,
        parser,
        error,
    )
    if error.occurred() or not model:
        raise DataProblem(f"UDPipe learnt nothing: {error.message or 'no sentences'}")
    with open_draft(output) as place:
        place.write_bytes(model)


def _read_udpipe_sentences(paths: Iterable[Path]) -> Any:
    """The sentences of some files, as UDPipe has them."""
    udpipe = import_udpipe()
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    sentences, sentence = udpipe.Sentences(), udpipe.Sentence()
    for path in paths:
        reader.setText("".join(format_conllu_tree(tree) for tree in conllu.read_conllu(path)))
        while reader.nextSentence(sentence, error):
            sentences.append(sentence)
        if error.occurred():
            raise DataProblem(f"{path}: UDPipe cannot read it: {error.message}")
    return sentences


def _annotation(words: Sequence[Any]) -> Annotation:
    return Annotation(
        upos=tuple(word.upostag for word in words),
        xpos=tuple(word.xpostag for word in words),
        feats=tuple(word.feats or "_" for word in words),
        heads=tuple(word.head - 1 for word in words),
        deprels=tuple(word.deprel for word in words),
        lemmas=tuple(word.lemma for word in words),
    )
