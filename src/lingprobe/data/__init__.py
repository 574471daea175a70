"""The nouns that everything speaks of. Nothing here imports any other room.

Begin at `core`: sentences and examples (`examples`), vectors (`vectors`), labels (`labels`),
results, and the protocols of tasks, encoders and probes. `references` finds a thing by its name,
`identity` tells from code and data whether two results are of the same thing, `cache` writes files
whole or not at all.
"""
