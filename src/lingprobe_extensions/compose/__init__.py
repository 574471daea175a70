"""Sentences from events with known meaning, a parser that checks them, and the tasks of comp/.

`events` writes the sentences, `readings` reads them and shares nothing with what wrote them, and
`comp` asks questions about their words (Ettinger et al. 2018).
"""
