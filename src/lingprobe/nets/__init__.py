"""Torch modules, shared by encoders, probes and training.

`architectures` has networks over words, `trainable` makes encoders and classifiers of them,
`device` and `precision` choose where and with which numbers to compute.
"""
