"""Trials in groups that share a data set, an encoder and a fit, and batches of such groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lingprobe.data.core import (
    Control,
    Encoder,
    JointProbe,
    KindredProbe,
    Probe,
    Result,
    Task,
    Trial,
)
from lingprobe.data.oracles import EncoderQuestion
from lingprobe.data.references import try_parse_reference

if TYPE_CHECKING:
    from lingprobe.data.identity import ResultIdentities


@dataclass(frozen=True)
class TrialGroup:
    """Trials that share a data set, an encoder and a fit; it pickles when its things do.

    part         which unit of work it is of those that share a data set, an encoder and a probe
    ids          what each trial's result is stored under, in the order of the trials
    ingredients  the identities of what the results are made of
    vectors      what the encoder's vectors are kept under
    own_baselines  the encoder's own baselines, by canonical reference, with the question of each
    """

    task: Task
    encoder: Encoder
    probe: Probe
    control: Control
    trials: tuple[Trial, ...]
    ids: tuple[str, ...]
    ingredients: ResultIdentities
    vectors: str
    part: int = 0
    own_baselines: Mapping[str, EncoderQuestion] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The group in a few words, for messages; folds and controls, which fail alike, go by one
        name.
        """
        first = self.trials[0]
        return ", ".join(
            reference.partition(",")[0] for reference in (first.task, first.encoder, first.probe)
        )

    @property
    def joint(self) -> tuple[str, ...]:
        """What it has in common with groups that are fitted in the same pass."""
        first = self.trials[0]
        part = (str(self.part),) if self.part else ()
        alone = first.task, first.encoder, first.probe, first.control, *part
        if not isinstance(self.probe, JointProbe) or not (task := try_parse_reference(first.task)):
            return alone
        probe = self.probe.kin if isinstance(self.probe, KindredProbe) else first.probe
        return str(task.without("fold", "sample")), first.encoder, probe, *part

    def without(self, results: Mapping[str, Result]) -> TrialGroup:
        """The same with the trials that have no result yet."""
        left = [(t, i) for t, i in zip(self.trials, self.ids, strict=True) if i not in results]
        return replace(self, trials=tuple(t for t, _ in left), ids=tuple(i for _, i in left))


@dataclass(frozen=True)
class FitBatch:
    """Groups that are fitted in one pass, such as the folds and controls of a task, read by one
    encoder and one probe; they share their name.
    """

    groups: tuple[TrialGroup, ...]

    @property
    def name(self) -> str:
        return self.groups[0].name

    @property
    def trials(self) -> int:
        """How many trials they are."""
        return sum(len(group.trials) for group in self.groups)
