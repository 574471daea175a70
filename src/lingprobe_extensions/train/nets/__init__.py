"""Networks that are trained here: forms of words, and what a parser tells of them."""
