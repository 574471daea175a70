"""A question with an oracle and a baseline of its own: adjective.py@adjective:EWT."""

from lingprobe import Tree, question


def below(tree: Tree) -> list[str]:
    """parts of speech of what stands below the subject"""
    subjects = [word for word in tree.root.children if word.deprel == "nsubj"]
    return [f"subject.{child.upos}" for word in subjects for child in word.children]


@question(
    "mine/adjective",
    "Has the subject an adjective?",
    gold={"below": below},
    baselines=("bow:random,pool=max",),
)
def adjective(tree: Tree) -> bool | None:
    subjects = [word for word in tree.root.children if word.deprel == "nsubj"]
    if len(subjects) != 1 or subjects[0].upos != "NOUN":
        return None
    return any(word.upos == "ADJ" for word in subjects[0].children)
