"""An item's evidence and related items.

Owns: nothing in the database.
"""
