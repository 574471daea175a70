"""Taggers and parsers that are trained here: how they read, decode and are scored."""
