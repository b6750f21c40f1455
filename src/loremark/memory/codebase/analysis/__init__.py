"""Turns the facts of all files into findings, layer by layer."""
