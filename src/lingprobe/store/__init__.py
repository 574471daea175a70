"""Vectors and results on disk: immutable, checksummed files, written whole or not at all.

`blocks` is one such file; `vectors` caches vectors per sentence, with the `plans` by which they
were encoded; `results` stores results.
"""
