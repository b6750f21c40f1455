"""Selects which files of a repository to read, and in what order."""
