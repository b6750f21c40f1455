"""Loremark: shared project memory for coding agents."""
