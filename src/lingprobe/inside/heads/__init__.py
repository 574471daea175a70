"""Where inside a transformer's blocks something is: all heads of a task beside each other, against
the same heads before training and slices drawn at random; and attention as a parser.

`arcs` has the task of which the syntactic head is the answer, `pointer` the probe that reads where
a map of attention points, `views` what is computed and shown of heads. What a head is,
`lingprobe.encoders.sites` says.
"""
