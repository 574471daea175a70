"""A question that says more: the word it is about, tags to report by, why sentences are excluded,
and an option: number.py@number:EWT,person=3.
"""

from typing import Annotated

from lingprobe import Answer, Help, Reason, Tree, question


@question("mine/number", "Is the subject singular or plural?", rare="drop")
def number(
    tree: Tree, *, person: Annotated[str, Help("the subject's; nouns have none")] = ""
) -> Answer | Reason:
    """Of the main clause."""
    subjects = [word for word in tree.root.children if word.deprel == "nsubj"]
    if len(subjects) != 1:
        return Reason("several subjects" if subjects else "no subject")
    (subject,) = subjects
    if "Number" not in subject.feats or subject.feats.get("Person", "") != person:
        return Reason("a subject without number, or of another person")
    return Answer(
        subject.feats["Number"],
        target=subject.form.lower(),
        strata={"side": "before" if subject.index < tree.root.index else "behind"},
    )
