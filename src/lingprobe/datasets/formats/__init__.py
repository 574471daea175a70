"""Data sets on disk and back."""
