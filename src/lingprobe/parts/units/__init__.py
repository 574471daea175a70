"""Which units of a vector carry a property, and how many it takes: probes of the k best units, the
least k that has nearly all, and the same in another basis; and the features of sparse autoencoders.

`ranking` and `path` order units, `sparse` is the probe of the best of them, `counts` finds the
least k, and `pages` shows it. `sae` is the encoder of an autoencoder's features, whose folder
`folders` reads and `features` computes.
"""

TABLES = {
    "encoders": {"sae": "sae:SparseFeatures"},
    "probes": {"sparse": "sparse:Sparse"},
    "views": {"units": "pages:units"},
}
COMMANDS: dict[str, str] = {}
_PLACES: dict[str, str] = {}
