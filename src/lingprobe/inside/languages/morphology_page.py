"""Features of words as a page: a sentence for each encoder and feature, then layer by layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lingprobe.analysis.encoder_verdicts import TaskVerdict
from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.row import CONSTANT_ENCODER
from lingprobe.data.references import try_parse_reference
from lingprobe.inside.languages.morphology import (
    MORPHOLOGY_TASKS,
    MorphologyResults,
    feature_of,
    morphology_of,
)
from lingprobe.inside.languages.views import name_transfer_encoders
from lingprobe.pages.records import format_frame_csv
from lingprobe.pages.unreadable import count_read_words, describe_unreadable
from lingprobe.pages.verdicts import name_relation
from lingprobe.pages.view_page import PageView
from lingprobe.pages.views import ViewArguments
from lingprobe.tables.heat import HeatCell, HeatLook, HeatMap, draw_heat_maps
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)
from lingprobe.tasks.baseline_names import NGRAM_BASELINE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Names = Mapping[str, str]
_NONE = "–"


def show_morphology(frame: ResultFrame) -> Page[ResultFrame]:
    """Whether encoders know features of words, in sentences and alone, layer by layer."""
    found = morphology_page(morphology_of(frame))
    names = name_transfer_encoders(frame.column("encoder"))
    return found.with_lead(
        describe_unreadable(
            count_read_words(frame),
            lambda encoder: names.get(encoder, encoder),
            lambda task: feature_of(task)[1],
        )
    )


def _show_view(frame: ResultFrame, asked: ViewArguments) -> Page[ResultFrame]:
    """The same of stored results."""
    return show_morphology(frame)


morphology = PageView(_show_view)


def morphology_page(results: MorphologyResults) -> Page[ResultFrame]:
    """The table of each feature and encoder."""
    names = floor_names((row.encoder, row.kind) for row in results.rows)
    return Page(
        results.rows,
        lambda: list(_tables(results, names)),
        {"csv": lambda: format_frame_csv(results.rows)},
        figure=lambda: draw_morphology_heat(results, names),
    )


def floor_names(encoders: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Names of encoders by reference, given with their kinds; baselines are called by what they
    see, where one model is judged.
    """
    every = dict(encoders)
    names = dict(name_transfer_encoders(every))
    names[CONSTANT_ENCODER] = "one constant answer"
    judged = [encoder for encoder, kind in every.items() if kind == "trained"]
    for encoder, kind in every.items():
        parsed = try_parse_reference(encoder)
        if kind != "baseline" or parsed is None or len(judged) > 1:
            continue
        if parsed.name == NGRAM_BASELINE:
            names[encoder] = NGRAM_BASELINE
        elif ("weights", "random") in parsed.options and names[encoder] != "subwords":
            on_trained = ("lexical", "trained") in parsed.options
            names[encoder] = "untrained blocks" if on_trained else "untrained"
    return names


def _tables(found: MorphologyResults, names: Names) -> Iterator[Table]:
    groups: dict[tuple[str, str], list[FrameRow]] = {}
    for row in found.rows:
        groups.setdefault((row.feature, row.treebank), []).append(row)
    for (feature, treebank), mine in groups.items():
        places = [
            place for place in MORPHOLOGY_TASKS.values() if any(r.where == place for r in mine)
        ]
        head = ("layer", *(cell for place in places for cell in (place, "above baseline")))
        yield Table(
            head,
            tuple(_sections(mine, places, names)),
            frozenset({"layer"}),
            tuple(_explain_morphology(mine, places, found)),
            title=f"{feature} in {treebank}, layer by layer",
            lead=tuple(describe_encoders(found, (feature, treebank), names)),
        )


def describe_encoders(
    results: MorphologyResults, about: tuple[str, str], names: Names
) -> Iterator[str]:
    """What can be said of each encoder on a feature, in a sentence."""
    scores = {(r.feature, r.treebank, r.where, r.encoder): r for r in results.rows}
    for one in results.verdicts.encoders:
        tasks = {
            feature_of(t.row.task)[2]: t for t in one.tasks if feature_of(t.row.task)[:2] == about
        }
        parts = []
        for place in MORPHOLOGY_TASKS.values():
            if task := tasks.get(place):
                last = scores[(*about, place, one.encoder)]  # of equal keys the last layer stays
                parts.append(_of_place(place, task, last, names))
        if parts:
            name = names.get(one.encoder, one.encoder)
            yield f"{name} on {about[0]} in {about[1]}: {'; '.join(parts)}."


def _of_place(place: str, task: TaskVerdict, last: FrameRow, names: Names) -> str:
    """The verdict on words in one place, and what is left of it in the last layer."""
    answer = task.strictest
    question, row = answer.decision.question, task.row
    own = name_relation(question.one, question.best)
    floor = own or names.get(answer.baseline.encoder, answer.baseline.encoder)
    at = f", layer {row.layer}" if task.layers > 1 or row.layer != "-" else ""
    one = answer.decision
    low, high = f"{one.low:+.1f}".replace("-", "−"), f"{one.high:+.1f}".replace("-", "−")
    difference = f"{one.difference:+.1f}".replace("-", "−")
    verdict = {
        "better": f"it is decodable above {floor}",
        "worse": f"it is significantly below {floor}",
        "no significant difference": f"it does not differ significantly from {floor}",
        "solved by a baseline": f"it is solved by {floor} alone",
        "too few clusters": "test examples form too few clusters",
    }[answer.verdict]
    said = f"{place} {verdict} ({row.score:.1f}{at}; {difference} [{low}, {high}] points"
    return said + (f"; last layer {last.score:.1f})" if last.layer != row.layer else ")")


def _sections(
    mine: Sequence[FrameRow], places: Sequence[str], names: Names
) -> Iterator[TableSection]:
    """What anybody reaches, and the layers of each encoder."""
    floors = [row for row in mine if row.kind != "trained"]
    yield TableSection(
        "baselines and oracle", tuple(_list_layer_lines(floors, places, names, by_name=True))
    )
    for encoder in dict.fromkeys(row.encoder for row in mine if row.kind == "trained"):
        layers = [row for row in mine if row.encoder == encoder]
        yield TableSection(
            names.get(encoder, encoder), tuple(_list_layer_lines(layers, places, names))
        )


def _list_layer_lines(
    mine: Sequence[FrameRow], places: Sequence[str], names: Names, by_name: bool = False
) -> Iterator[tuple[str, ...]]:
    """A line for each layer, or for each baseline at its best layer."""
    lines: dict[str, dict[str, FrameRow]] = {}
    for row in mine:
        name = names.get(row.encoder, row.encoder) if by_name else row.layer
        best = lines.setdefault(name, {}).get(row.where)
        if best is None or (by_name and row.score > best.score):
            lines[name][row.where] = row
    for name, by_place in lines.items():
        cells = [cell for place in places for cell in _format_score_cells(by_place.get(place))]
        yield name, *cells


def _format_score_cells(row: FrameRow | None) -> tuple[str, str]:
    """A score, and how far it is above the best baseline; a star where that is significant."""
    if row is None:
        return _NONE, ""
    over = f"{row.over:+.1f}{'*' * (row.verdict == 'better')}" if row.verdict else ""
    return format_number(row.score), over.replace("-", "−")


def _explain_morphology(
    mine: Sequence[FrameRow], places: Sequence[str], found: MorphologyResults
) -> Iterator[str]:
    sizes = []
    for place in places:
        row = next(row for row in mine if row.where == place)
        sizes.append(
            f"{place} {row.train:,} and {row.n:,}, constant answer {format_number(row.constant)}"
        )
    yield f"Words to train and to test: {'; '.join(sizes)}."
    yield (
        "char-ngrams: the same probe on character n-grams of the word. subwords: a bag of random"
        " vectors of the model's subword tokens. untrained: the same network with random weights;"
        " untrained blocks: with its trained embeddings. Each is shown at its best layer."
    )
    yield (
        "In sentences, word forms may occur in both train and test, and label frequencies are"
        " those of the treebank. Alone, no lemma is in two splits, classes are balanced, and"
        " ambiguous forms are excluded. The two columns are therefore not comparable."
    )
    yield (
        f"The summary is corrected for {found.verdicts.family}. *: better than every baseline,"
        " corrected for all layers."
    )


def draw_morphology_heat(results: MorphologyResults, names: Names) -> Figure:
    """For each encoder and place a matrix of features by layers: how far each layer is above the
    best floor, of what is left above it.
    """
    groups: dict[tuple[str, str], list[HeatCell]] = {}
    for row in results.rows:
        if row.kind == "trained":
            part = row.over / max(100 - row.floored, 1e-9) if row.verdict else 0.0
            mark = "*" * (row.verdict == "better")
            name = f"{row.feature} in {row.treebank}"
            cell = HeatCell(name, row.layer, f"{format_number(row.score)}{mark}", part, bool(mark))
            groups.setdefault((row.encoder, row.where), []).append(cell)
    maps = [HeatMap(f"{names.get(e, e)}, {where}", cells) for (e, where), cells in groups.items()]
    about = "Features by layer; dark: far above the strongest baseline; *: significantly better."
    return draw_heat_maps(maps, HeatLook(about, wide=0.5))
