"""What is left when a property is erased from vectors, and what goes with it: erasers, baselines of
random ones, and the matrix of tasks that are erased and tasks that are measured.

`erasers` has the maps, `division` the data in three parts, `matrix` the fits, `change` what a
validation probe says, `views` what is computed and shown, `files` erasers on disk.
`erasure` makes erasers for an option of every encoder, which `remainder` is. In a running model,
`interventions` and `exchanges` have the changes of states, `distances` says how far they reach,
`target` runs it, `effects`, `behaviour` and `similarity` read what they do, `effect_cells` has the
tests, and `effect_pages` what it looks like.
"""
