"""Whole projects as files: export and import.

Owns: no table; it reads and fills those of items, contexts, sessions, events and history. Tells nothing to webhooks:
what is imported has happened before.
"""
