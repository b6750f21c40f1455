"""The training scripts."""
