"""Linear probes."""
