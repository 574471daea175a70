"""Results -> numbers: rows, layers, differences."""
