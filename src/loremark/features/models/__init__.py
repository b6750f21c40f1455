"""The models this server uses, and their test.

Owns no table. For the owner and admins; a test is metered like every other call. Emits nothing.
"""
