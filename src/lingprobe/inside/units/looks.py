"""What an attention probe looks at: by word, by place, and how evenly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Floats
from lingprobe.inside.units.notes import AttentionNote

_OFTEN, _SHOWN = 3, 10  # times that a word must be seen, and how many words are kept


def describe_weights(readings: Readings, weights: Sequence[Floats]) -> AttentionNote:
    """Which share of attention the first and the last token have, how even it is, and which words
    have most.
    """
    some = [each for each in weights if len(each)]
    if not some:
        return AttentionNote()
    longer = [each for each in some if len(each) > 1]
    even = [float(-(w * np.log(w + 1e-30)).sum() / np.log(len(w))) for w in longer]
    return AttentionNote(
        round(float(np.mean([each[0] for each in some])), 4),
        round(float(np.mean([each[-1] for each in some])), 4),
        round(float(np.mean(even)), 4) if even else 1.0,
        round(float(np.mean([len(each) for each in some])), 2),
        _rank_words(readings, weights),
    )


def _rank_words(readings: Readings, weights: Sequence[Floats]) -> list[list[Any]]:
    """The words that have most in proportion to their tokens."""
    spans = readings.vectors.spans
    if spans is None:
        return []
    shares: dict[str, list[float]] = {}
    starts, _ = readings.units(0)
    for row, mine in enumerate(weights):
        sentence = int(readings.dataset.sites[row, 0, 0])
        first = int(spans.first_word[sentence])
        for place, form in enumerate(readings.dataset.sentences[sentence].words):
            start, stop = (spans.words[first + place] - starts[row]).tolist()
            if 0 <= start < stop <= len(mine):
                times = float(mine[start:stop].sum()) * len(mine) / (stop - start)
                shares.setdefault(form.lower(), []).append(times)
    often = {form: times for form, times in shares.items() if len(times) >= _OFTEN}
    best = sorted(often, key=lambda form: (-float(np.mean(often[form])), form))[:_SHOWN]
    return [[form, round(float(np.mean(often[form])), 2), len(often[form])] for form in best]
