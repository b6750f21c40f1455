"""Embeddings: texts as unit vectors, by the built-in model or an OpenAI-compatible server."""
