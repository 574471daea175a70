"""Which units of a vector carry a property, and how many it takes: probes of the k best units, the
least k that has nearly all, and the same in another basis; features of sparse autoencoders as
units; and attention over tokens in place of pooling.

`ranking` and `path` order units, `sparse` is the probe of the best of them, `curves` finds the
least k, and `views` shows it. `sae` is the encoder of an autoencoder's features, whose folder
`folders` reads and `features` computes. `attention` is the probe that pools `tokens` by itself,
which `attending` trains; `looks` says what it looks at, and `views` shows it. `notes` is
what both probes keep with a result.
"""
