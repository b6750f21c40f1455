"""Ingest: events from tools, signed, kept for ever, grouped into sessions.

Owns: events, blobs. Tells: session.created. One commit holds the event, its session and its counters; the
answer comes after it.
"""
