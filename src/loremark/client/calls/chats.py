"""Chat sessions."""

from __future__ import annotations

from loremark.client.call import Call, path
from loremark.wire.chats import ChatMessages, ChatSessions


def list_chats(
    project_id: str, *, limit: int | None = None, offset: int | None = None, search: str | None = None
) -> Call[ChatSessions]:
    url = path("/api/v2/chat-sessions", projectId=project_id, limit=limit, offset=offset, search=search)
    return Call(method="GET", path=url, response_type=ChatSessions)


def list_messages(chat_session_id: str, cursor: str | None = None, limit: int | None = None) -> Call[ChatMessages]:
    url = path("/api/v2/chat-sessions/{}/messages", chat_session_id, cursor=cursor, limit=limit)
    return Call(method="GET", path=url, response_type=ChatMessages)
