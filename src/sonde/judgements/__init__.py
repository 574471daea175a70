"""People on a task: a sheet of test sentences for them to judge, and what their judgements are
worth as an upper bound.
"""
