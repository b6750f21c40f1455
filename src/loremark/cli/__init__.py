"""The command-line client: what a person types. It speaks HTTP through ``client``."""
