"""A task: sentences with labels, which lingprobe balances and splits."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from lingprobe import Help
from lingprobe.corpora import text
from lingprobe.data.core import Dataset
from lingprobe.datasets.candidates import Candidate
from lingprobe.datasets.draw import sample


@dataclass(frozen=True)
class LongWord:
    """Does the sentence have a word of eight letters or more?"""

    path: Path  # what stands after the colon: example/long-word:PATH
    letters: Annotated[int, Help("how long a long word is", "1")] = 8  # example/...:PATH,letters=10

    name = "example/long-word"
    question = "Does the sentence have a long word?"
    metric, probe, view = "accuracy", "logreg", "mean"

    def load(self) -> Dataset:
        sentences = list(text.read_running_text(self.path))
        return sample(
            Candidate(s, "yes" if max(map(len, s.words)) >= self.letters else "no")
            for s in sentences
        )
