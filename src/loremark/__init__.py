"""Loremark: project memory for AI-assisted software work."""
