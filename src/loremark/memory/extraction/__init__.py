"""Extraction: captured events in, candidate items out, by rules or from a model's answer, under the same checks."""
