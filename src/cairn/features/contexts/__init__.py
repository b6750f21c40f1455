"""Contexts: the tree of knowledge, addressed by schema keys.

Tables: contexts. Emits nothing.
"""
