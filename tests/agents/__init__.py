"""Real agents from npm, in the exact versions that were tried, driven by a scripted model on loopback."""
