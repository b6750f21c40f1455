"""The steps of ``loremark setup``. Each first plans, without changing anything, and then carries out its plan."""
