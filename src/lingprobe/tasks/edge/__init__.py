"""Questions about one or two spans of words (Tenney et al. 2019)."""
