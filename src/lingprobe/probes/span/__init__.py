"""The edge probe of Tenney et al. (2019), and how it is trained."""
