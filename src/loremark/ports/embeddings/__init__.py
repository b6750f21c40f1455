"""Text embeddings by the built-in model or an OpenAI-compatible server."""
