"""Floor 3: the outside world, one folder each: what we ask of it, the real thing, and the embedded default."""
