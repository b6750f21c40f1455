"""Briefings: what memory says about the task at hand, for agents that ask or whose hook asks for them.

Owns: briefings, briefing_entries. A job decides what came of each entry (``jobs``).
"""
