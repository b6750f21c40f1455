"""Memory items: what is known, on what evidence, and how it came to be so.

Owns: items, item_files, item_conflicts. Tells: item.created, item.updated, item.deprecated.
"""
