"""Where in a model a property is, whether the model uses it, and how representations lie.

`erase` removes a property from vectors and from a running model, `units` finds the dimensions that
carry it, `heads` compares attention heads, `structure` has the structural probe, `minimal` minimal
pairs, `geometry` similarity and spread of representations, `languages` transfer between languages.
"""
