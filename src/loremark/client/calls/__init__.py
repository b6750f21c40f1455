"""API calls, one module per resource. Each function returns a ``Call``."""
