"""All readings of a generated sentence, found from its words alone: a check on
`lingprobe_extensions.compose.events`, with which it shares nothing.

`find` gives readings and what they agree on; `gold` says an event's JSON as a reading, to compare
with; `english*` brings English, `polish*` Polish.
"""
