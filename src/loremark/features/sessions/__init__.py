"""Capture sessions, which group events by project, source and time.

Owns: sessions; reads events and blobs. Emits: session.created, session.completed.
"""
