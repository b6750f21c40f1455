"""The typed client, sync and async."""
