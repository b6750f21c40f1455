"""API keys: creation, listing, deletion and authentication.

Owns: api_keys. A key acts as the user who created it, with that user's current role, and can be limited to scopes, one
project, a period and networks. Only its SHA-256 is stored. Keys are looked up on every request, so a deleted key stops
working immediately in every process.
"""
