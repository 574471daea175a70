"""Which epoch of a training is the best, when training is over, and what it is no better than.

A figure that has not left its baselines says nothing of epochs: BLEU of 0.01 and 0.02 is chance,
while perplexity may fall from epoch to epoch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lingprobe_extensions.train.loop import EpochResult

_PERPLEXITY = "perplexity"
_OF = " of "  # between a figure and what it is the figure of
_POINTS = 1.0  # of a hundred, by which a figure has to be above a baseline
_SHARE = 0.95  # of a baseline's perplexity, below which one has to be


@dataclass(frozen=True)
class SelectionCriterion:
    """What is selected by: the figure of an objective on dev, and figures of what needs no encoder,
    as 'bleu of the commonest text'.
    """

    figure: str
    trivial: Mapping[str, float]

    def by(self, epochs: Sequence[EpochResult]) -> str:
        """The figure that chooses the best epoch: the objective's where an epoch is clearly better
        than its baselines; else perplexity, where it is known.
        """
        left = any(self._beats(epoch, self.figure) for epoch in epochs)
        known = any(_PERPLEXITY in epoch.figures for epoch in epochs)
        return _PERPLEXITY if known and not left else self.figure

    def best(self, epochs: Sequence[EpochResult]) -> int:
        """The number of the epoch that is best on dev; of equal ones the one with the lowest
        perplexity, or the first.
        """
        by = self.by(epochs)

        def rank(epoch: EpochResult) -> tuple[float, float, int]:
            value, perplexity = epoch.figures[by], epoch.figures.get(_PERPLEXITY, 0.0)
            return -value if by == _PERPLEXITY else value, -perplexity, -epoch.number

        return max(epochs, key=rank).number

    def since(self, epochs: Sequence[EpochResult]) -> int:
        """Epochs since the best one."""
        return len(epochs) - self.best(epochs)

    def has_stalled(self, epochs: Sequence[EpochResult]) -> bool:
        """Whether the last epoch is no better than the best before: by perplexity, which is surer
        than BLEU, or by the figure where nothing is written.
        """
        steady = [e.figures.get(_PERPLEXITY, -e.figures.get(self.figure, 0.0)) for e in epochs]
        return len(steady) > 1 and steady[-1] >= min(steady[:-1])

    def unbeaten(self, epochs: Sequence[EpochResult]) -> list[str]:
        """The baselines without an encoder that training does not beat: those that the best epoch
        is not clearly better than.
        """
        number = self.best(epochs)
        [best] = [epoch for epoch in epochs if epoch.number == number]
        return [
            f"{figure}{_OF}{what}"
            for figure, value in best.figures.items()
            for what, baseline in self._baselines(figure)
            if not _clearly_better(figure, value, baseline)
        ]

    def _beats(self, epoch: EpochResult, figure: str) -> bool:
        baselines = [baseline for _, baseline in self._baselines(figure)]
        return all(_clearly_better(figure, epoch.figures[figure], each) for each in baselines)

    def _baselines(self, figure: str) -> Iterator[tuple[str, float]]:
        """What has a figure without an encoder, and the figure."""
        for name, value in self.trivial.items():
            mine, _, what = name.partition(_OF)
            if mine == figure:
                yield what, value


def _clearly_better(figure: str, value: float, baseline: float) -> bool:
    return value < _SHARE * baseline if figure == _PERPLEXITY else value > baseline + _POINTS
