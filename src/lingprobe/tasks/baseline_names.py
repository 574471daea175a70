"""Encoders that stand beside others unasked, by reference."""

LENGTH_BASELINE, WORDS_BASELINE, RANDOM_BAG_BASELINE, NGRAM_BASELINE = (
    "length",
    "words",
    "bow:random",
    "char-ngrams",
)
