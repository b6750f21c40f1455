"""The dashboard's pages and files, and the one-time sign-in link that opens it.

Owns no table. Pages are served as files; what they show comes from the API like anyone else's.
"""
