"""Measures extraction, deduplication, drift, answers and hygiene on labeled sets. The sets themselves are in
``evals/``."""
