"""What items are ranked by: their terms and vectors, kept in the transaction that changes the item.

Owns: item_index, item_vectors, the index version of a project. Its upkeep deletes what nobody reads any more, also in
the vector_cache.
"""
