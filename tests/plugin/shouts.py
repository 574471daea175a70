"""A check of data: shouts.py@shouts."""


def shouts(audit, dataset):
    """Sentences in capitals alone."""
    n = sum(sentence.text.isupper() for sentence in dataset.sentences)
    if n:
        yield f"{n:,} sentences are in capitals alone"
