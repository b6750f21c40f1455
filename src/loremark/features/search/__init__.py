"""Finding items by a question: the indexes of projects in memory, and one ranking for all who ask.

Owns: nothing in the database.
"""
