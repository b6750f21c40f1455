"""Revisions: every change of an item or a context, which can be taken back.

Owns: revisions. Tells nothing.
"""
