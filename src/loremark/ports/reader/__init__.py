"""The reader: a small model that reads two texts together and says how they relate."""
