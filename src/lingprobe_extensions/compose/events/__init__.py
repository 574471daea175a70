"""Sentences with gold meaning: events, their sentences, and all that a request admits, counted and
numbered.

`meaning` has the values and their JSON; `request` says what is asked for, `space` numbers what that
admits, `draw` takes some of it, and `batch` says it in words. `language` is what a language brings;
`english*` brings English, `polish*` Polish.
"""
