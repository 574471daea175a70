"""Probing: what sentence and token embeddings know about language."""
