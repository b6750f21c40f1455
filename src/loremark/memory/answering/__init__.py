"""Answers to questions from a project's memory: what is asked, which passages answer it, and words that are theirs."""
