"""The ranking used by search, Ask and file context."""
