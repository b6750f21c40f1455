"""Analyzes a codebase without a language model: facts per file, then findings about the whole."""
