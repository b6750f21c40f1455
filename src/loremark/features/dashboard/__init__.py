"""The dashboard's pages and files, the one-time sign-in link that opens it, and the page that lets a command line in.

Owns no table. Pages are served as files; what they show comes from the API like anyone else's.
"""
