"""Corpus + objective -> encoder. Static word vectors so far."""
