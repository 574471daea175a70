"""Torch modules, shared by encoders, probes and training."""
