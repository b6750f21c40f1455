"""Retention: deletes the events, sessions and chats of projects that limit how long they are kept.

Owns no tables; the periods are columns of projects. Emits nothing.
"""
