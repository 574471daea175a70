"""Encoders that stand beside others unasked, by reference."""

LENGTH, WORDS, RANDOM_BAG, NGRAMS = "length", "words", "bow:random", "char-ngrams"
