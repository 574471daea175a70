"""What is asked for where an encoder is trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from lingprobe import Sentence, UsageProblem
from lingprobe.extend import NetworkArchitecture, check_choice
from lingprobe_extensions.train.contents import OBJECTIVES
from lingprobe_extensions.train.objectives import TrainingObjective

BAG_ARCHITECTURE: Literal["bow"] = "bow"
"""The architecture that is no network: means of vectors of words and bigrams."""
PARSER_ARCHITECTURE: Literal["parser"] = "parser"
"""The architecture that tells the annotation of words: a BiLSTM over vectors of their forms."""


@dataclass(frozen=True)
class TrainingRequest:
    """What an encoder is to learn, and from what.

    files     that the objective reads
    dev       files to judge by; a part of the examples without
    where     of files with columns: which rows are read, as patterns by column
    exclude   sentences that are excluded, as they will be probed
    also      files that are judged after each epoch, too, as they are; nothing is chosen by them
    left_out  options that name the corpora and tasks of `exclude`, for the command in the card
    """

    architecture: NetworkArchitecture | Literal["bow", "parser"]
    objective: str
    files: Sequence[Path]
    dev: Sequence[Path] = ()
    where: Mapping[str, str] | None = None
    exclude: Sequence[Sentence] = ()
    also: Sequence[Path] = ()
    left_out: Sequence[str] = ()

    def check(self) -> TrainingObjective:
        """The objective; UsageProblem for what does not fit together, ReferenceProblem for a name
        that there is not.
        """
        known = (*get_args(NetworkArchitecture), BAG_ARCHITECTURE, PARSER_ARCHITECTURE)
        for kind, name, every in (
            ("architecture", self.architecture, known),
            ("objective", self.objective, OBJECTIVES),
        ):
            if not name:
                raise UsageProblem(f"an {kind} is missing: choose one of {', '.join(every)}")
        check_choice("architecture", self.architecture, known)
        objective = OBJECTIVES.make(self.objective)
        if not isinstance(objective, TrainingObjective):
            raise UsageProblem(
                f"{self.objective} returns no TrainingObjective, which an objective must"
            )
        if objective.alone != (
            self.architecture
            if self.architecture in (BAG_ARCHITECTURE, PARSER_ARCHITECTURE)
            else ""
        ):
            alone = objective.alone or self.architecture
            raise UsageProblem(
                f"{self.architecture} is not trained for {self.objective}: {alone} is trained for"
                f" {objective_of(alone)}, and for nothing else"
            )
        if self.where and not objective.columns:
            raise UsageProblem(
                f"{self.objective} reads no table whose columns have names: leave --where out"
            )
        if not self.files:
            raise UsageProblem(f"there is no file to learn to {self.objective} from: name --data")
        if self.also and objective.lesson is None:
            raise UsageProblem(f"{self.objective} is judged by --dev alone; leave --evaluate out")
        return objective


def objective_of(architecture: str) -> str:
    """The objective of an architecture that learns nothing else; '' for the others."""
    every = (name for name in OBJECTIVES.table if OBJECTIVES.make(name).alone == architecture)
    return next(every, "")
