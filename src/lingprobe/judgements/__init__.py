"""People on a task: a sheet of test sentences to label, and their score as an upper bound."""
