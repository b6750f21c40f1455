"""Which file of a codebase imports which."""
