"""Data sets as others have published them."""
