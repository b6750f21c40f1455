"""Search: in-memory indexes of projects and the ranking of items.

Owns: nothing in the database.
"""
