"""Errors as one sentence for the agent and its user: what happened and what to do."""

from __future__ import annotations

from loremark.client.call import ApiError
from loremark.mcp.formatting import one_line

_MAX_CHARS = 300


class ToolError(Exception):
    """A tool call failed. The message says why and what to do."""


def describe_api_error(error: ApiError, url: str) -> str:
    """Describe an API error in one sentence."""
    message = one_line(str(error), _MAX_CHARS).rstrip(".")
    if error.status == 0:
        return (
            f"The Loremark server is not reachable at {url}. Start it with `loremark start`, or use another server "
            "with `loremark login --url URL`."
        )
    if error.status == 401 and "ignature" not in message:
        return f"The Loremark server at {url} rejected the API key: sign in again with `loremark login`."
    if error.status == 403 and message == "Forbidden":
        return "You have read-only access to this project: ask an owner or admin to add you as a member."
    if error.status == 404 and message == "Project not found":
        return "Project not found, or you don't have access: check the project argument, or run `loremark init`."
    if error.status == 429 and "retry after" not in message:
        return f"{message}. Wait a moment and try again."
    if error.status >= 500:
        return f"The Loremark server failed ({message}): try again in a moment."
    return f"{message}."
