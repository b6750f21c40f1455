"""What a new colleague would want to know, layer by layer, from the facts of all files."""
