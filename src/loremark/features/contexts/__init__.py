"""Contexts: the tree of knowledge, addressed by schema keys.

Owns: contexts. Tells nothing.
"""
