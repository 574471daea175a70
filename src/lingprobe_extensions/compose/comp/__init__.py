"""Questions about words of generated sentences: who did what to whom, and what did not happen
(Ettinger et al. 2018).
"""
