"""Where language comes from: treebanks, running text, tables of examples."""
