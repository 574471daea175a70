"""The encoders that papers measured, read from the files that were published with them.

Each has a module: `infersent`, `skipthought`, `sent2vec`, `laser`, `cove`, `elmo`, and `use` for
the Universal Sentence Encoder. They share `files` and `recurrence`.
"""

TABLES = {
    "encoders": {
        "infersent": "infersent:InferSent",
        "skipthought": "skipthought:SkipThought",
        "sent2vec": "sent2vec:Sent2Vec",
        "laser": "laser:Laser",
        "cove": "cove:CoVe",
        "elmo": "elmo:ELMo",
        "use": "use:UniversalSentenceEncoder",
    }
}
COMMANDS: dict[str, str] = {}
_PLACES: dict[str, str] = {}
