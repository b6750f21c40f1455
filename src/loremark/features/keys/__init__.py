"""API keys: creation, listing, deletion and authentication.

Owns: api_keys. A key acts as the user who created it, with that user's current role. Only its SHA-256 is stored. Keys
are looked up on every request, so a deleted key stops working immediately in every process.
"""
