"""Answers questions from a project's memory: selects passages and quotes them."""
