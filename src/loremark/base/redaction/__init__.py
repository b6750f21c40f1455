"""Finds and redacts secrets in texts and payloads. Standard library only, because the hook uses it too."""
