"""Memory items: what is known, on what evidence, and how it came to be so.

Tables: items, item_files, item_conflicts. Emits item.created, item.updated, item.deprecated.
"""
