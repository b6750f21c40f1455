"""Floor 2: the database. The only floor that knows SQL dialects.

``database`` says what the floors above may use; ``sqlite`` and ``postgres`` are the two engines behind it;
``tables`` is the data model and ``schema`` brings a database up to it.
"""
