"""The search index: terms and vectors of items, updated in the transaction that changes the item.

Owns: item_index, item_vectors, the index version of a project. Its upkeep job deletes obsolete rows, also in
vector_cache.
"""
