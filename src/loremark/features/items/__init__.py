"""Memory items, with their evidence, files and conflicts.

Owns: items, item_files, item_conflicts. Emits: item.created, item.updated, item.deprecated.
"""
