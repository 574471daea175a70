"""What papers claim of their tables, and whether it holds there and in results of one's own.

`claims` reads them from a table, `claim_tests` tests them on the paper's own table, `retests` on
results, in which `stand_ins` knows the rows of papers. `sheet` writes sentences for people to
label, and `sheet_score` reads what they filled in.
"""
