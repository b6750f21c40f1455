"""Answers questions from a project's memory: analyzes the question, selects passages, and quotes them."""
