"""The brain: approved memory as one document under a budget of tokens.

Owns: brains, memory_touched. Tells: brain.updated.
"""
