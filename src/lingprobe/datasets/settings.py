"""How candidates are sampled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from lingprobe.data.checks import check_number
from lingprobe.data.core import DataProblem

# examples in a data set of Conneau et al. 2018, whose frequency band is 100 to 5,000 (their README)
_PAPERS_SIZE = 120_000


class DatasetFold(NamedTuple):
    """A fold, from 0, of how many, and how many examples all of them test (0: every one)."""

    number: int
    many: int
    tested: int = 0

    def shares(self, n: int) -> list[float]:
        """The share of each fold in n examples, and behind them that of what is in none."""
        if not self.tested or self.tested >= n:
            return [1] * self.many
        return [self.tested / self.many] * self.many + [n - self.tested]


def _parse_setting_number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


@dataclass(frozen=True, slots=True)
class SampleSettings:
    """What a sample must keep to. The defaults are the papers', scaled to the data.

    seed           of everything that is drawn
    size           examples in all (over all folds with `fold`); None: as many as the data allow
    proportions    train : dev : test of a sampled split
    splits         'sampled', or 'official': the treebank's own
    fold           'i/k': fold i of k (from 1) is the test split, the rest is train and dev;
                   'i/k/n': of k folds that have n examples in all, what is in none is train or dev
    balance        equally many examples of each class in every split
    decorrelate    equal lengths for every class, so that length tells nothing (|r| <= 0.05 in every
                   split); 'gaussian': of these as many of each length as a Gaussian asks for, which
                   is SentEval's target for TreeDepth
    least, rare    a class with fewer than `least` examples: the data are refused, or the class is
                   dropped and counted
    least_test     so many examples of each class are tested, in folds where one test split has
                   fewer
    rarest, commonest  target forms with fewer or more candidates are discarded; None: scaled, 0: no
                       bound
    cap            examples of one target form; None: scaled, 0: no cap
    """

    seed: int = 0
    size: int | None = None
    proportions: tuple[float, float, float] = (10, 1, 1)
    splits: Literal["sampled", "official"] = "sampled"
    fold: str | None = None
    balance: bool = True
    decorrelate: bool | Literal["gaussian"] = False
    least: int = 50
    rare: Literal["refuse", "drop"] = "refuse"
    least_test: int = 200
    rarest: int | None = None
    commonest: int | None = None
    cap: int | None = None

    def __post_init__(self) -> None:
        self.folds()
        without = "or leave size out for as many as the data allow"
        check_number("size", self.size, "1", without, DataProblem)
        for name, bound in (("rarest", self.rarest), ("commonest", self.commonest)):
            check_number(name, bound, "0", "of candidates; 0 for no limit", DataProblem)
        if min(self.proportions) <= 0:
            raise DataProblem(
                f"proportions {self.proportions}: train, dev and test must each get something"
            )
        if self.fold and self.splits == "official":
            raise DataProblem(
                "fold= divides all the data, splits=official keeps the treebank's own test set:"
                " choose one"
            )
        if self.decorrelate and not self.balance:
            raise DataProblem(
                "decorrelate matches equally many examples of each class, which balance=false"
                " forbids: choose one"
            )

    def folds(self) -> DatasetFold | None:
        """The fold asked for; None without folds."""
        if self.fold is None:
            return None
        parts = self.fold.split("/")
        number, many, tested = (
            [*map(_parse_setting_number, parts), 0][:3] if len(parts) in (2, 3) else (0, 0, 0)
        )
        if (len(parts) == 3 and tested < many) or not 1 <= number <= many or many < 2:
            raise DataProblem(
                f"fold={self.fold}: write fold=3/10 for the third of ten folds, or fold=3/10/5000"
                " where they are to test 5,000 examples in all"
            )
        return DatasetFold(number - 1, many, tested)

    def bounds(self, candidates: int, forms: int) -> tuple[int, int, int]:
        """The rarest and commonest form that are kept, and the cap, for so many candidates of so
        many target forms.

        At 120,000 candidates the band is that of Conneau et al. (100 to 5,000); below, its upper
        end shrinks in proportion, its lower end with the square, so that small data keep their rare
        forms. Neither upper end nor cap bites where forms are few: they never go below ten and four
        times the mean number of candidates a form.
        """
        scale = min(1.0, candidates / _PAPERS_SIZE)
        mean = candidates / max(forms, 1)
        rarest = max(1, round(100 * scale**2)) if self.rarest is None else self.rarest
        commonest = (
            max(round(5000 * scale), round(10 * mean), 20)
            if self.commonest is None
            else self.commonest
        )
        cap = max(round(1000 * scale), round(4 * mean), 10) if self.cap is None else self.cap
        return rarest, commonest or candidates, cap or candidates
