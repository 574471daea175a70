"""Where in a model a property is, and whether the model uses it: one answer of all sites.

`search` probes and changes sites, `views` what is computed and shown of them.
"""
