"""Results -> numbers: rows, comparisons, layers, curves, correlations. Nothing is laid out here.

Begin at `frame`: results become one table, a row for each trained probe, with the columns that
`statistics` and `score_columns` add; the latter have one for each task, encoder, layer, probe and
control, over all seeds and folds. `comparison` decides whether two of them differ, for every page.
`relation` and `profiles` answer questions of their own; `score_table` reads scores that others
measured.
"""
