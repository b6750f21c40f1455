"""How each coding agent is set up: where its files lie, what is merged into them, and how that is undone."""
