"""The certificate authorities that outgoing TLS connections trust."""

from __future__ import annotations

import ssl
from functools import lru_cache


@lru_cache(maxsize=8)
def load_certificates(ca_file: str) -> ssl.SSLContext:
    """Load the system's certificates and an extra file, once per process because that is slow."""
    context = ssl.create_default_context()
    if ca_file:
        context.load_verify_locations(ca_file)
    return context
