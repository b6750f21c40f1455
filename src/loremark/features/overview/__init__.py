"""Project overviews (key figures) and the context map.

Owns no table: it counts rows of other features, for many projects at once.
"""
