"""Corpus + objective -> encoder: sentence encoders, parsers, taggers and word vectors.

`api` has `train`. `objectives` lists what can be learnt, `sentences` trains sentence encoders,
`loop` is the loop that all share, `folder` what is written. `parsers` has parsers and taggers,
`static` word vectors.
"""
