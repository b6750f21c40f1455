"""Capture sessions: stretches of work that events belong to.

Owns: sessions; reads events and blobs. Tells: session.created, session.completed.
"""
