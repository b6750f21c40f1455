"""Ingest: receives signed events from tools and groups them into sessions.

Owns: events, blobs. Emits: session.created. The event, its session and its usage counters are committed together,
before the response is sent.
"""
