"""Parsers of others, each imported when it is asked for."""
