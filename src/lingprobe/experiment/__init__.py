"""plan -> embed -> measure -> run: from references to results.

`plan` makes and checks everything, `embed` fills the vector cache, `measure` fits and scores one
group of trials, and `run` applies both to all missing trials.
"""
