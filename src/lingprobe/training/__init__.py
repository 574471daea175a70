"""Corpus + objective -> encoder: sentence encoders, parsers and static word vectors."""
