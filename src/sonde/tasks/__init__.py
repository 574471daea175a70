"""Ways to write down examples, one module per family; this table says where each task is."""

from sonde.naming import Contents

RELEASED = {
    "senteval": "sent-len word-content tree-depth top-const bigram-shift tense subj-num obj-num somo coord-inv",
    "xprobe": "sent-len word-content tree-depth bigram-shift tense subj-num obj-num somo coord-inv",
    "rusenteval": "sent-len word-content tree-depth ngram-shift gapping conj-type impersonal subj-gender obj-gender subj-num obj-num "
    "aspect tense voice",
    "ud2019": "sent-len word-content tree-depth top-deps passive tense subj-num obj-num sent-type",
    "linspector": "word pair contextual",
    "comp/released": "content1 content2 order sem-role negation",
}
"""Families of published data sets, one module each, and what they have."""

COMPOSED = "content1 content2 order sem-role negation"
FURTHER = "agreement embedded-tense adjective quantifier-scope"
"""Tasks of composition on generated sentences: the paper's, and further ones."""

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
        "ud/feat": "sonde.tasks.ud_feat:feat",
        "tree/sent-len": "sonde.tasks.tree:sent_len",
        "tree/word-content": "sonde.tasks.tree:word_content",
        "tree/tree-depth": "sonde.tasks.tree:tree_depth",
        "tree/top-const": "sonde.tasks.tree:top_const",
        "tree/bigram-shift": "sonde.tasks.tree:bigram_shift",
        "tree/tense": "sonde.tasks.tree:tense",
        "tree/subj-num": "sonde.tasks.tree:subj_num",
        "tree/obj-num": "sonde.tasks.tree:obj_num",
        "tree/somo": "sonde.tasks.tree:somo",
        "tree/coord-inv": "sonde.tasks.tree:coord_inv",
        "edge/jsonl": "sonde.tasks.edge_jsonl:jsonl",
        "edge/pos": "sonde.tasks.edge_ud:pos",
        "edge/dep": "sonde.tasks.edge_ud:dep",
        "edge/feat": "sonde.tasks.edge_ud:feat",
        "edge/const": "sonde.tasks.edge_const:const",
        "edge/entities": "sonde.tasks.edge_bio:entities",
        "edge/chunks": "sonde.tasks.edge_bio:chunks",
        "edge/coref": "sonde.tasks.edge_coref:coref",
        "edge/srl": "sonde.tasks.edge_srl:srl",
        "edge/spr2": "sonde.tasks.edge_spr:spr2",
        "edge/uds": "sonde.tasks.edge_spr:uds",
        "edge/dpr": "sonde.tasks.edge_dpr:dpr",
        "edge/semeval": "sonde.tasks.edge_semeval:semeval",
        **{
            f"{family}/{name}": f"sonde.tasks.{family.replace('/', '_')}:{name.replace('-', '_')}"
            for family, names in RELEASED.items()
            for name in names.split()
        },
        **{f"comp/{name}": f"sonde.tasks.comp:{name.replace('-', '_')}" for name in f"{COMPOSED} {FURTHER}".split()},
        "indicsenteval": "sonde.tasks.indicsenteval:indicsenteval",
        "table": "sonde.tasks.table:table",
    },
)
