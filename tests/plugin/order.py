"""An objective: order.py@order tells which of two lines of a text came first."""

from lingprobe_extensions.train.data import TrainingExample, read_following_sentences
from lingprobe_extensions.train.objectives import InferenceLesson, TrainingObjective


def order() -> TrainingObjective:
    """Tell whether two neighbouring lines stand in their order (Lan et al. 2020)."""
    return TrainingObjective(InferenceLesson.of, pairs, "accuracy")


def pairs(paths, reading):
    for number, (first, (text,), *_) in enumerate(read_following_sentences(paths, reading)):
        two = [first, reading.words(text)]
        label = "turned" if number % 2 else "straight"
        one, other = reversed(two) if number % 2 else two
        yield TrainingExample(one, second=other, label=label)
