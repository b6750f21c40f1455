"""The brain: approved memory as one Markdown document within a token budget.

Owns: brains, brains_to_check. Emits: brain.updated.
"""
