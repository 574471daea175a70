"""The encoders that papers measured, read from the files that were published with them.

Each has a module: `infersent`, `skipthought`, `sent2vec`, `laser`, `cove`, `elmo`, and `use` for
the Universal Sentence Encoder. They share `files` and `recurrence`.
"""
