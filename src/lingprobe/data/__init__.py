"""The nouns that everything speaks of, references to things, identities, errors and the cache."""
