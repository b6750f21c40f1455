"""Contexts: a tree of documents addressed by schema keys.

Owns: contexts. Emits nothing.
"""
