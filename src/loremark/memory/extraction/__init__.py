"""Extracts candidate items from captured events, by rules or from a model's answer, with the same checks."""
