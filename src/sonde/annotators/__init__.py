"""Sentence -> tree: taggers."""
