"""People on a task: a sheet of test sentences to label, and their score as an upper bound.

`sheet` draws and writes the sentences, `score` reads filled sheets, `bound` is what they say.
"""
