"""Python client for the HTTP API: ``calls`` builds requests, ``Client`` and ``AsyncClient`` send them."""
