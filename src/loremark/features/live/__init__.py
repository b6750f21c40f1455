"""Live notices to open pages: a stream that says what has changed, so that nobody polls.

Owns no table. The stream ends the moment its caller loses access.
"""
