"""Multi-layer perceptrons, and how they are trained."""
