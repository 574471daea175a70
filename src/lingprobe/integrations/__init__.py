"""Probing inside the training loops of other libraries. Each module needs its library."""
