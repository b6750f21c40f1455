"""Assembles the brain: selects the memories that fit a token budget and renders them."""
