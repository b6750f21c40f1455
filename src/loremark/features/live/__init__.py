"""Live updates: a stream of change events, so that open pages need not poll.

Owns no table. A stream ends as soon as its caller loses access.
"""
