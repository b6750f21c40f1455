"""API keys: made, listed, deleted, and recognised in requests.

Owns: api_keys. A key acts as the person who made it, with that person's role of the moment. Only its
SHA-256 is kept; it is looked up in every request, so a deleted one is dead in every process at once.
"""
