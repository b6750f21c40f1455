"""Forgetting a session: what was captured, what was extracted from it, and every mention of it.

Owns no tables; deletes from those of sessions, ingest, enrichment, items, recall and webhooks. Emits nothing.
"""
