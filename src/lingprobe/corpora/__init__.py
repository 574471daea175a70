"""Readers of treebanks, running text and tables of examples."""
