"""The API for Python programs: calls are values (``calls``), and two clients carry them out, one of them async."""
