"""Vectors and results on disk: immutable files, checked when first read, written whole or not at
all.

`blocks` is one such file; `vectors` caches vectors per sentence, with the `plans` they were encoded
by; `results` keeps what was measured.
"""
