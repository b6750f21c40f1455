"""How the events of an agent's session name it."""

from __future__ import annotations

_SOURCE_CHARS = 50


def session_source(agent: str, session: str) -> str:
    """Return the ``source`` that identifies the agent's session, within the server's length limit."""
    source = f"{agent}:{session}"
    if len(source) <= _SOURCE_CHARS:
        return source
    import hashlib  # rarely needed

    return f"{agent}:{hashlib.sha256(session.encode()).hexdigest()[:32]}"[:_SOURCE_CHARS]
