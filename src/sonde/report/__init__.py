"""Results -> table, figures, page."""
