"""Readings: what a language model said about a session, before it was verified and became items.

Owns: readings, reading_items. The model is the server's, or a developer's own coding agent that answers over the API.
"""
