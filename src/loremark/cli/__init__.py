"""The command-line client. It talks to the server through ``loremark.client``."""
