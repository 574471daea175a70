"""The annotation style of a treebank as a whole: which release of Universal Dependencies it
follows, and whose names its values have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from lingprobe.corpora.trees import parse_features

_FIRST = frozenset({"dobj", "nsubjpass", "csubjpass", "auxpass", "mwe", "remnant"})
_SECOND = frozenset(
    {"obj", "obl", "fixed", "flat", "orphan", "clf", "nsubj:pass", "csubj:pass", "aux:pass"}
)
"""Relations that only release 1 or only release 2 has (UD v2 guidelines, summary of changes)."""

_VALUES = {
    name: frozenset(values.split())
    for name, values in {
        "Number": "Coll Count Dual Grpa Grpl Inv Pauc Plur Ptan Sing Tri",
        "Tense": "Fut Imp Past Pqp Pres",
        "Voice": "Act Antip Bfoc Cau Dir Inv Lfoc Mid Pass Rcp",
        "Mood": "Adm Cnd Des Imp Ind Int Irr Jus Nec Opt Pot Prp Qot Sub",
        "VerbForm": "Conv Fin Gdv Ger Inf Part Sup Vnoun",
    }.items()
}
"""Features that rules read, and their values in Universal Dependencies; a treebank that writes the
feature has at least one.
"""


@dataclass
class AnnotationStyle:
    """The relations and FEATS values that occur in one file."""

    relations: set[str] = field(default_factory=set)
    feats: set[str] = field(default_factory=set)

    def add(self, relations: Iterable[str], feats: Iterable[str] = ()) -> None:
        """Take in those of some sentences."""
        self.relations.update(relations)
        self.feats.update(feats)

    def first_release(self) -> str:
        """What says that the relations are those of release 1, in words; '' where they are not."""
        old = sorted(_FIRST & self.relations)
        if not old or _SECOND & self.relations:
            return ""
        return f"is annotated after release 1 of Universal Dependencies (it has {', '.join(old)})"

    def foreign_values(self, read: Collection[str]) -> str:
        """Which of some features have none of UD's values, in words; '' where all have some."""
        by_feature: dict[str, set[str]] = {}
        for raw in self.feats:
            for name, value in parse_features(raw).items():
                if name in read and name in _VALUES:
                    by_feature.setdefault(name, set()).update(value.split(","))
        return "; ".join(
            f"{name} is written {', '.join(sorted(values))} there, and Universal Dependencies has"
            " no such values"
            for name, values in sorted(by_feature.items())
            if not values & _VALUES[name]
        )
