"""Candidates -> a data set with splits: no duplicates, disjoint target forms, balanced classes.

`candidates` has the input from tasks. `match` matches classes (by length, to decorrelate label and
length). `splits` finds what examples share, assigns whole groups to splits, makes a missing dev
split, and takes part of a data set that has splits. `draw` combines them.
"""
