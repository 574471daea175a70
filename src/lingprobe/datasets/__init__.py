"""Candidates -> a data set with splits: no duplicates, disjoint target forms, balanced classes.

`candidates` has the input from tasks. `match` matches classes (by length, to decorrelate label and
length). `splits` finds what examples share, assigns whole groups to splits, makes a missing dev
split, and takes part of a data set that has splits. `draw` combines them.
"""

from lingprobe.datasets.candidates import Candidate
from lingprobe.datasets.draw import sample
from lingprobe.datasets.fold_plan import name_folds
from lingprobe.datasets.settings import SampleSettings
from lingprobe.datasets.splits import carve_dev, draw_examples, draw_train, together

__all__ = [
    "Candidate",
    "SampleSettings",
    "carve_dev",
    "draw_examples",
    "draw_train",
    "name_folds",
    "sample",
    "together",
]
