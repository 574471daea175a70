"""Minimal pairs: which of two sentences is the better one, by a language model's probabilities and
by a probe.

`pairs` reads files of pairs, `agreement` makes pairs of a treebank, `data` lays both out. `lm` and
`ngram` give the probability of a sentence, `preference` is the probe and the metric.
"""
