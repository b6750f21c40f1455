"""The overview: how projects are doing, in numbers, and the map of a memory.

Owns no table: it counts what others keep, for many projects at once.
"""
