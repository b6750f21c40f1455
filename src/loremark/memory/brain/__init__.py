"""The brain: which memories stand in a document of so many tokens, and how it is written. Plain values in and out."""
