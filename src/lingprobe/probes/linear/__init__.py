"""Linear probes: shrunk discriminant analysis and logistic regression."""
