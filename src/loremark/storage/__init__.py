"""Layer 2: the database. The only layer that knows SQL dialects.

``database`` is the interface for the layers above, implemented by ``sqlite`` and ``postgres``; ``tables`` is the data
model and ``schema`` runs the migrations.
"""
