"""What stands around an item: the events it was learnt from, and the items it has to do with.

Owns: nothing in the database.
"""
