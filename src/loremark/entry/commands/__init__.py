"""Commands that run on the server's machine. The client commands are in ``loremark.cli``."""

from loremark.base.settings import limit_numpy_threads

limit_numpy_threads()
