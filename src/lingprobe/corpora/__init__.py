"""Readers of treebanks, running text and tables of examples.

`files` opens what lies on disk, and `corpus` finds the files of a corpus and their splits. Each
format has a module with a `read`: `conllu` for Universal Dependencies (`batches` reads many
sentences at once), `brackets` for constituents, `columns` for tables, and so on. They yield `trees`
or plain rows; what is wrong with a file is said with its line.
"""
