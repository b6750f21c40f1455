"""Export and import of whole projects.

Owns no table; it reads and writes those of items, contexts, sessions, events and history. Emits no webhooks, because
imported events happened in the past.
"""
