"""The commands of an operator, and those that need the house itself; the user's are in ``loremark.cli``."""

from loremark.base.settings import keep_numpy_calm

keep_numpy_calm()
