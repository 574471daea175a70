"""Requests on disk, and drawn sentences to disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from lingprobe import DataProblem
from lingprobe.extend import allow_code, open_draft, read_json_document, resolve_beside
from lingprobe_extensions.compose.events.assertions import ASSERTION_STATUSES, find_assertions
from lingprobe_extensions.compose.events.batch import ShapeBatch, map_in_order
from lingprobe_extensions.compose.events.draw import SentenceSample, draw_from_space
from lingprobe_extensions.compose.events.request import GenerationRequest, parse_generation_request
from lingprobe_extensions.compose.events.space import SentenceSpace, make_space


def read_request(path: str | Path, language: str | None = None) -> GenerationRequest:
    """The request in a JSON file, in a language if one is given; what is wrong is named with the
    file and the place. The file is one that the user named: a language that it names may be code
    in its folder.
    """
    value = read_json_document(path)
    if isinstance(value, dict):
        if language is None and isinstance(named := value.get("language"), str):
            language = resolve_beside(Path(path), named)
        if language is not None:
            value = {**value, "language": language}
        allow_code(language)
    try:
        return parse_generation_request(value)
    except DataProblem as problem:
        raise DataProblem(f"{path}: {problem}") from None


def request_space(request: GenerationRequest) -> SentenceSpace:
    """All sentences that a request admits."""
    return make_space(request)


def draw_requested_sentences(
    sentences: SentenceSpace, request: GenerationRequest, n: int | None, seed: int
) -> SentenceSample:
    """So many sentences of a request's space, with the shares that it asks for."""
    return draw_from_space(sentences, n, seed, request.priors, even=request.even)


def write_draw(
    path: str | Path,
    sample: SentenceSample,
    *,
    bare: bool = False,
    asserted: bool = False,
    progress: Callable[[int], object] = lambda n: None,
) -> None:
    """Write drawn sentences as they come, as JSON or bare; the file is there whole or not at all.
    Where it is to be told what they assert, JSON has the key `asserted`.
    """
    lines = ShapeBatch.texts if bare else (_asserting if asserted else ShapeBatch.lines)
    out = Path(path).expanduser()
    with open_draft(out) as part, part.open("w", encoding="utf-8") as file:
        for n, parts in sample.chunks():
            texts = map_in_order(parts, n, lines)
            file.write("\n".join(texts) + "\n")
            progress(n)


def _asserting(batch: ShapeBatch) -> list[str]:
    """The sentences as JSON, with what they assert of each clause."""
    codes = find_assertions(batch.placed, batch.values, batch.language)
    clauses = zip(*(column.tolist() for column in codes.values()), strict=True)
    asserted = (
        json.dumps(
            {prefix: ASSERTION_STATUSES[code] for prefix, code in zip(codes, row, strict=True)}
        )
        for row in clauses
    )
    lines = zip(batch.lines(), asserted, strict=True)
    return [f'{line[:-1]},"asserted":{statuses}}}' for line, statuses in lines]
