"""One question in many languages: which treebanks answer it, a probe that is trained in one
language and tested in another, and what may be compared.

`matching` cuts data sets of several languages to the same composition, `transfer` makes tasks of
them, `views` has what is computed and shown. `survey` says what treebanks support. `words` reads
forms with their features, of treebanks and of UniMorph, and `forms` asks what they say alone.
"""
