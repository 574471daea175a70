"""The recipes that grids of perceptrons are trained by, under their names."""

from __future__ import annotations

from dataclasses import dataclass

from lingprobe.probes.schedules import AnnealingSchedule, SentEvalLoop

_UNITS, _DROPOUT = (50, 100, 200), (0.0, 0.1, 0.2)
_DECAYS = (1e-5, 1e-4, 1e-3, 1e-2)


@dataclass(frozen=True, slots=True)
class GridProtocol:
    """A grid over hidden units, dropout and L2, how each cell is trained, and how the best on dev
    is told.

    scaled   whether features are brought to one scale first; SentEval and the papers read them as
             they are
    rounded  whether dev accuracy is rounded to two decimals of a percent before the best is looked
             for (SentEval)
    """

    hidden: tuple[int, ...]
    dropout: tuple[float, ...]
    l2: tuple[float, ...]
    plan: AnnealingSchedule | SentEvalLoop
    scaled: bool = False
    rounded: bool = False

    @property
    def has_cuts(self) -> bool:
        """Whether networks are taken out before the end; what is trained together may then differ
        in how many examples it has.
        """
        return isinstance(self.plan, AnnealingSchedule) and bool(self.plan.cuts)


GRID_PROTOCOLS = {
    # the corners of Conneau et al. 2018's grid under a schedule of our own; a quarter of the steps
    # leaves two networks, half of them one
    "fast": GridProtocol(
        _UNITS[::2],
        _DROPOUT[::2],
        (0.0,),
        AnnealingSchedule(cuts=((1 / 4, 2), (1 / 2, 1))),
        scaled=True,
    ),
    # the whole grid, every network to its end for every seed: the default until version 0.2
    "full": GridProtocol(_UNITS, _DROPOUT, (0.0,), AnnealingSchedule(), scaled=True),
    # Conneau et al. 2018: SentEval's README, "tuned the nhid (in [50, 100, 200]) and dropout (in
    # [0.0, 0.1, 0.2]) on the dev set", each of which was a run of SentEval, whose SplitClassifier
    # searches L2 as well (tools/validation.py): 3 x 3 x 4 cells
    "acl18": GridProtocol(_UNITS, _DROPOUT, _DECAYS, SentEvalLoop(), rounded=True),
    # SentEval, tools/validation.py (SplitClassifier)
    "senteval": GridProtocol((50,), (0.0,), _DECAYS, SentEvalLoop(), rounded=True),
    # Krasnowska-Kieraś & Wróblewska 2019, footnote 8, over SentEval's L2 grid
    "krasnowska": GridProtocol((50,), (0.0,), _DECAYS, SentEvalLoop(batch=128), rounded=True),
}
