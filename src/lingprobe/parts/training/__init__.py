"""Corpus + objective -> encoder: sentence encoders, parsers, taggers and word vectors.

`api` has `train`. `objectives` lists what can be learnt, `sentences` trains sentence encoders,
`loop` is the loop that all share, `folder` what is written. `parsers` has parsers and taggers,
`static` word vectors.
"""

TABLES = {
    "kinds": {"objectives": "contents:OBJECTIVES"},
    "encoders": {"trained": "encoder:Trained"},
    "parsers": {"trained": "parsers.network:Network"},
}
COMMANDS = {
    "Data": "corpora:tag corpora:audit_parser",
    "Training": "commands:train commands:export corpora:vectors",
}
_PLACES = {
    "api": "audit_parser export tag train train_vectors",
    "audit": "ParserAudit",
    "exports": "Exported",
    "folder": "Training",
    "parsers.tagger": "Tagged",
    "static": "Trained",
}
