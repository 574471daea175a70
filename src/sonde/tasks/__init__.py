"""Ways to write down examples, one module per family; this table says where each task is."""

from sonde.naming import Contents

TASKS = Contents(
    "task",
    "sonde.tasks",
    {
        "ud/sent-len": "sonde.tasks.ud:sent_len",
        "ud/word-content": "sonde.tasks.ud:word_content",
        "ud/tree-depth": "sonde.tasks.ud:tree_depth",
        "ud/top-deps": "sonde.tasks.ud:top_deps",
        "ud/passive": "sonde.tasks.ud:passive",
        "ud/tense": "sonde.tasks.ud:tense",
        "ud/subj-num": "sonde.tasks.ud:subj_num",
        "ud/obj-num": "sonde.tasks.ud:obj_num",
        "ud/sent-type": "sonde.tasks.ud:sent_type",
        "table": "sonde.tasks.table:table",
    },
)
