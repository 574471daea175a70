"""Probing inside the training loops of other libraries. Each module needs its library.

`transformers` has a callback for a Trainer, `sentence_transformers` an evaluator.
"""
