"""A question about trees: relcl.py@relcl."""

from lingprobe import Tree, question


@question("mine/relcl", "Does the sentence have a relative clause?")
def relcl(tree: Tree) -> str:
    return "yes" if any(word.deprel == "acl:relcl" for word in tree.words) else "no"
