"""A question about words of trees: modifier.py@modifier:EWT."""

from lingprobe import Tree, question


@question("mine/modifier", "What is the first word to the second, a noun?", about="spans")
def modifier(tree: Tree):
    for word in tree.words:
        if word.head is not None and word.head.upos == "NOUN":
            yield (word, word.head), word.deprel
