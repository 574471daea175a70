"""Is the tree in the vectors? The structural probe (Hewitt & Manning 2019), with its tasks, its
metrics and its baselines.

`family` has the tasks, `trees` distances, depths and spanning trees, `metrics` what predicted ones
are judged by, `probe` the probe, which `fits` trains, and `floors` what needs no training.
"""
