"""Set up coding agents: where their files are, what we merge into them, and how to undo it."""
