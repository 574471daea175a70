"""How representations lie: how alike layers, encoders and languages are (CKA, rotations), and
whether vectors fill their space (anisotropy, outlying dimensions, intrinsic dimension).

`rows` reads vectors a stretch at a time, `similarity`, `kernels`, `spread`, `neighbours` and
`rotation` have the measures, `comparisons` what is measured of what, `answers` what can be said.
"""
