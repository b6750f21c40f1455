"""The typed client: speaks HTTP, knows only the wire shapes."""
