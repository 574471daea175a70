"""Hidden states that another program has written, one file a sentence, read as those of a model: a
sentence's states are those whose token ids are the sentence's, to the last one.

The files are those of vLLM's extraction (`method: extract_hidden_states` with its
ExampleHiddenStatesConnector): REQUEST.safetensors with `token_ids` [tokens] and `hidden_states`
[tokens, layers, dim] (https://docs.vllm.ai/en/latest/features/speculative_decoding/). Its layer N
is the state after N layers, as here, but for the last, which it takes before the final norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from lingprobe.corpora.files import digest_files
from lingprobe.data.abilities import TokenStates
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop, PartRefused
from lingprobe.data.options import Help
from lingprobe.data.oracles import EncoderQuestion, Kind
from lingprobe.data.references import PlaceOption
from lingprobe.data.vectors import Vectors
from lingprobe.encoders.conversations import PROMPT_TOKENS, CountedTurns, check_turns
from lingprobe.encoders.frames import (
    CHAT_FRAME,
    describe_frame,
    make_prompt_frame,
    read_by,
    tokeniser_of,
)
from lingprobe.encoders.generation import check_generated_turns
from lingprobe.encoders.hf import Pool, count_model_layers
from lingprobe.encoders.hub import ModelFiles, ModelSource, find_model_files
from lingprobe.encoders.layers import SlotEncoder
from lingprobe.encoders.model_files import format_package_versions
from lingprobe.encoders.own_baselines import list_prompt_baseline
from lingprobe.encoders.own_vectors import Missing, lacking_of
from lingprobe.encoders.recording_files import read_state_shape
from lingprobe.encoders.token_places import CountedPlaces, PlaceRange
from lingprobe.encoders.token_states import STATES_FILE, TokenStateFolder, open_token_states

if TYPE_CHECKING:
    from lingprobe.encoders.forward import ForwardPass, ReadSentences

_SUFFIX = ".safetensors"


@dataclass(frozen=True)
class ActivationsEncoder:
    """Hidden states that you have: a folder that `lingprobe.ActivationWriter` wrote, or one that
    vLLM's extraction did, of safetensors files with `token_ids` and `hidden_states`.
    """

    path: Path
    model: Annotated[
        PlaceOption,
        Help(
            "whose tokens they are: a folder or a name[@revision] of the hub; its tokeniser is read"
        ),
    ] = field(default=PlaceOption(""), kw_only=True)
    ids: Annotated[
        str,
        Help(
            "the layers in the files, in order, as 8+16+32 (eagle_aux_hidden_state_layer_ids);"
            " counted from 0 without"
        ),
    ] = field(default="", kw_only=True)
    pool: Annotated[
        Pool,
        Help(
            "mean, max, cls (the first token), last (the last token), end (the last token of all"
            " that was read, a template's ending included), none (subwords, aligned to words)"
        ),
    ] = field(default="mean", kw_only=True)
    prompt: Annotated[str, Help("what stood before each sentence")] = field(
        default="", kw_only=True
    )
    template: Annotated[
        str,
        Help(
            "what the model was given, as `Q: {sentence} A:` (a comma is written %2C), or chat for"
            " its own chat template; only the sentence's tokens count in pooling"
        ),
    ] = field(default="", kw_only=True)
    turns: CountedTurns = field(default="", kw_only=True)
    generated: Annotated[
        bool,
        Help(
            "files go on behind each prompt with what the model wrote (vLLM's"
            " include_output_tokens), which is pooled, or under turns=all the prompt as well"
        ),
    ] = field(default=False, kw_only=True)
    places: CountedPlaces = field(default="", kw_only=True)
    special: Annotated[
        bool | None,
        Help(
            "whether tokens that the tokeniser adds count as tokens; without, in mean, max and"
            " last, and not in none"
        ),
    ] = field(default=None, kw_only=True)
    role: Annotated[
        str,
        Help("of a folder of ActivationWriter: the role whose tokens count, as assistant"),
    ] = field(default="", kw_only=True)
    missing: Annotated[
        Missing,
        Help(
            "what to do about sentences without a file: error, or skip (they are excluded and"
            " counted)"
        ),
    ] = field(default="error", kw_only=True)

    takes = "sentences"
    place: ClassVar[str] = "acts"
    opposes: ClassVar[tuple[EncoderQuestion, ...]] = ()
    layers: ClassVar[str] = "all"

    @property
    def name(self) -> str:
        return f"acts:{self.path}"

    @property
    def kind(self) -> Kind:
        """A baseline where no response is read, of files that have one."""
        return "baseline" if self.turns == PROMPT_TOKENS else "trained"

    @property
    def own_baselines(self) -> dict[str, EncoderQuestion]:
        """The states of what stands before the response, where that is read."""
        return list_prompt_baseline(ActivationsEncoder, self, str(self.path), self.generated)

    @property
    def files(self) -> ModelFiles:
        """Where the tokeniser lies."""
        if not self.model:
            raise DataProblem(
                f"{self.name}: name the model of the tokens, as acts:FOLDER,model=Qwen/Qwen3-8B"
            )
        return find_model_files(self.model)

    @property
    def _stamp(self) -> str:
        """A digest of all files of a folder of ActivationWriter."""
        return digest_files(sorted(p for p in self.path.expanduser().iterdir() if p.is_file()))

    @property
    def _token_states(self) -> TokenStateFolder | None:
        """What ActivationWriter wrote there; None where another program did."""
        folder = self.path.expanduser()
        if not (folder / STATES_FILE).is_file():
            return None
        changed = sorted(path.stat().st_mtime_ns for path in folder.iterdir())
        return open_token_states(folder, str(changed))

    @property
    def states(self) -> tuple[Path, ...]:
        """The files of hidden states, by name; DataProblem where there is none."""
        return _list_state_files(self.path.expanduser())

    @property
    def fingerprint(self) -> str:
        """A digest of all files, and the tokeniser."""
        if self._token_states is not None:
            return self._stamp
        return (
            f"{digest_files(self.states)} {self.files.fingerprint}"
            f" {format_package_versions('tokenizers')}"
        )

    @property
    def counts_special(self) -> bool:
        """Whether tokens that the tokeniser adds count."""
        return self.special if self.special is not None else self.pool != "none"

    @property
    def base(self) -> str:
        self._check_tokens()
        places = f",places={self.places}" if self.places else ""
        if self._token_states is not None:
            return f"acts,written,role={self.role}{places}"
        around = describe_frame(self.template, self.prompt, lambda: self.reads)
        read = f",turns={self.turns},generated={self.generated}" * bool(
            self.turns or self.generated
        )
        return f"acts,ids={self.ids},{around},special={self.counts_special}{read}{places}"

    @property
    def reads(self) -> str:
        """What the model read, with {sentence} where the sentence stood; '' for nothing else."""
        return read_by(
            self.template, self.prompt, lambda: tokeniser_of(ModelSource(str(self.files.folder)))
        )

    @property
    def numbers(self) -> tuple[str, ...]:
        """What the layers in the files are called; DataProblem where that cannot be."""
        if self._token_states is not None:
            return tuple(self._token_states.layers)
        many = read_state_shape(self.states[0])[1]
        if not self.ids:
            return tuple(map(str, range(many)))
        named = tuple(self.ids.split("+"))
        if len(named) != many or not all(each.isdecimal() for each in named):
            raise DataProblem(
                f"{self.name}: ids={self.ids} names {len(named)} layers, and {self.states[0].name}"
                f" has {many}: write the numbers that vLLM was given, as 8+16+32"
            )
        config = self.files.config() if (self.files.folder / "config.json").is_file() else {}
        last = count_model_layers(config)
        if last is not None and (beyond := [each for each in named if int(each) > last]):
            raise DataProblem(
                f"{self.name}: there is no layer {beyond[0]} in a model of {last}; layer N is the"
                " state after N layers, and 0 the embeddings"
            )
        return named

    @property
    def slots(self) -> tuple[str, ...]:
        return tuple(f"{number}.{self.pool}" for number in self.numbers)

    def asking(self, slots: tuple[str, ...]) -> SlotEncoder:
        return SlotEncoder.of(self, slots, "subwords")

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.asking(self.slots).encode(sentences)

    def read(self, sentences: Sequence[Sentence], asked: Sequence[tuple[str, str]]) -> Vectors:
        """The layers that are asked for, each with its pooling."""
        self._check_tokens()
        if self._token_states is not None:
            return self._read_token_states(self._token_states, sentences, asked)
        passes, read = self._match(sentences, any(pool == "none" for _, pool in asked))
        numbers = {name: str(place) for place, name in enumerate(self.numbers)}
        places = [(numbers[layer], pool) for layer, pool in asked]
        units = passes.run_tokens(sentences, read, places)
        vectors = Vectors(units.layers, SlotEncoder.names(asked), units.spans, units.cut)
        if units.reasons:
            raise PartRefused(vectors, units.reasons)
        return vectors

    def read_tokens(self, sentence: Sentence, layers: Sequence[str]) -> TokenStates:
        """The tokens of a sentence as they were read, with their states in some layers.
        EncoderStop where no file has them.
        """
        self._check_tokens()
        strict = replace(self, missing="error")
        if self._token_states is not None:
            strict.check_there([sentence])
            places = PlaceRange.parse(self.places)
            return self._token_states.read_tokens(sentence, layers, self.role, places)
        passes, read = strict._match([sentence], False)
        numbers = {layer: str(self.numbers.index(layer)) for layer in layers}
        found = passes.show_tokens(read, [*numbers.values()])
        return found._replace(states={name: found.states[n] for name, n in numbers.items()})

    def find_written(self, sentences: Sequence[Sentence]) -> list[str | None]:
        """What files have behind each of some prompts, as text; None where they have nothing."""
        if not self.generated or self.turns == PROMPT_TOKENS:
            return [None for _ in sentences]
        passes, read = replace(self, turns="", missing="skip")._match(sentences, False)
        assert read.tokens.inside is not None  # which are those that were written
        rows = zip(read.tokens.ids, read.tokens.inside, strict=True)
        texts = (
            passes.network.tokenizer.decode(
                np.array(ids, np.int64)[inside].tolist(), clean_up_tokenization_spaces=False
            )
            for ids, inside in rows
        )
        return [text or None for text in texts]

    def _check_tokens(self) -> None:
        """Refuse turns and places that are not there. DataProblem."""
        if (self.turns or self.generated) and self._token_states is not None:
            raise DataProblem(
                f"{self.name}: its tokens have roles: write role=assistant, and leave turns and"
                " generated out"
            )
        check_turns(self.turns, self.template == CHAT_FRAME)
        if self.generated:
            check_generated_turns(self.turns)
        PlaceRange.parse(self.places)

    def _read_token_states(
        self,
        written: TokenStateFolder,
        sentences: Sequence[Sentence],
        asked: Sequence[tuple[str, str]],
    ) -> Vectors:
        """Vectors of a folder of ActivationWriter; EncoderStop for a pooling that it has not."""
        self.check_there(sentences)
        if pools := {pool for _, pool in asked} - {"mean", "max", "last", "none"}:
            raise EncoderStop(f"{self.name}: pool={pools.pop()}: write mean, max, last or none")
        found = written.read(sentences, asked, self.role, PlaceRange.parse(self.places))
        vectors = Vectors(found.layers, SlotEncoder.names(asked), found.spans)
        if found.empty:
            why = f"no token of the role {self.role!r}" if self.role else "no token"
            why += " at those places" if self.places else ""
            raise PartRefused(vectors, dict.fromkeys(found.empty, f"it has {why}"))
        return vectors

    def check_there(self, sentences: Sequence[Sentence]) -> None:
        """Sentences that the files have no vectors for are an error before the run."""
        if self._token_states is not None:
            if self.missing == "error" and (said := self._token_states.lacking(sentences)):
                raise EncoderStop(said)
            return
        self._match(sentences, self.pool == "none")

    def _match(
        self, sentences: Sequence[Sentence], aligned: bool
    ) -> tuple[ForwardPass, ReadSentences]:
        """What reads the files, and the sentences in tokens, of which each that can be read has a
        file; EncoderStop where it should.
        """
        from lingprobe.encoders.forward import ForwardPass  # imports torch
        from lingprobe.encoders.recordings import RecordedTokens, check_layers, load_recorded

        states = load_recorded(self.states, ModelSource(str(self.files.folder)))
        if self.ids:
            check_layers(self.states, self.numbers)
        passes = ForwardPass(
            states,
            make_prompt_frame(self.template, self.prompt, states.tokenizer),
            self.counts_special,
            states.limit,
            turns=self.turns if self.template == CHAT_FRAME else None,
            writer=RecordedTokens(states) if self.generated else None,
            places=PlaceRange.parse(self.places),
        )
        read = passes.tokenize_sentences(sentences, aligned)
        lacking = [
            sentences[number]
            for number, ids in enumerate(read.tokens.ids)
            if read.reasons.get(number) in (None, RecordedTokens.nothing) and not states.has(ids)
        ]
        if lacking and self.missing == "error":
            what = f"file of the tokens that {self.model} reads"
            raise EncoderStop(lacking_of(str(self.path), lacking, len(sentences), what))
        return passes, read


def _list_state_files(folder: Path) -> tuple[Path, ...]:
    if folder.is_file():
        raise DataProblem(
            f"{str(folder)!r} is a file: name a folder of hidden states; what another program saved"
            " is written to one with lingprobe.ActivationWriter"
        )
    if not folder.is_dir():
        raise DataProblem(f"no folder {str(folder)!r} of hidden states")
    files = tuple(sorted(folder.rglob(f"*{_SUFFIX}")))
    if not files:
        packed = any(folder.rglob(f"*{_SUFFIX}.zst"))
        hint = "; unpack the .zst files (zstd -d)" if packed else ""
        raise DataProblem(f"{folder} has no {_SUFFIX} files of hidden states{hint}")
    return files
