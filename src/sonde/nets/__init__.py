"""Torch modules only, shared by encoders, probes and training."""
