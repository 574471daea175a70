"""Sentences generated from events with known meaning, and an independent parser to check them."""
