"""Revisions: the history of items and contexts, which can be reverted.

Owns: revisions. Emits nothing.
"""
