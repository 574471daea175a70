"""Results -> numbers: rows, comparisons, layers, curves, correlations. Nothing is laid out here.

Begin at `rows`: results become `ResultRow`s, one for each task, encoder, layer, probe and control,
over all seeds and folds. `comparison` decides whether two of them differ, for every page. What
views show is a `frame`, with the columns that `statistics` add. `relation` and `profiles` answer
questions of their own; `score_table` reads scores that others measured.
"""
