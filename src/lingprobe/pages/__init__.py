"""Frames -> pages with tables and figures, in several formats. Begin at `score_pages`.

A page is a value, and its tables in each format (`tables.page`). `scores` has a section for each
task, `wide` one table for several tasks, `paper` a paper's table with own results in it; `compare`,
`layer_view`, `relate` and the other modules have a page each. `web` joins them in one page for
browsers.
"""
