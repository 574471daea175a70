"""Scores of pairs as shares of classes; importing does nothing."""
