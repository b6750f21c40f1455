"""Real agents from npm, in locked versions, driven by a scripted model on loopback."""
