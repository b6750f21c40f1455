"""/api/v2/chat-sessions."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from loremark.base import errors, limits
from loremark.features.chats import editing, service, store
from loremark.features.history.revision_pages import cut_by_size
from loremark.features.projects.access import Access
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.paging import Page
from loremark.web.routes import Route, Routes
from loremark.wire.chats import (
    ChatCreated,
    ChatFavorited,
    ChatMessages,
    ChatSession,
    ChatSessions,
    ChatUpdate,
    ChatUpdated,
    NewChat,
)
from loremark.wire.shapes import END

_routes = Routes("chat")
# For requests about a single chat, the contract defines a different 401 text.
_single_routes = Routes("chat", unauthorized=errors.UNAUTHORIZED)

_MISSING = (errors.SESSION_NOT_FOUND,)
_CHANGE = (*_MISSING, errors.FORBIDDEN, errors.PROJECT_ARCHIVED)


class ChatsQuery(Struct, frozen=True, kw_only=True, rename="camel"):
    limit: Annotated[int, Meta(ge=1, le=limits.CHATS_PAGE)] = limits.CHATS_PAGE_DEFAULT
    offset: Annotated[int, Meta(ge=0)] = 0
    favorites: bool = False
    search: Annotated[str, Meta(min_length=limits.CHAT_SEARCH_MIN_CHARS, max_length=limits.CHAT_TITLE_CHARS)] | None = (
        None
    )
    project_id: str


class MessagesQuery(Page, frozen=True):
    """The cursor is a message id, which does not have to exist."""

    limit: Annotated[int, Meta(ge=1, le=limits.MESSAGES_PAGE)] = limits.MESSAGES_PAGE_DEFAULT
    cursor: Annotated[str, Meta(pattern=rf"^msg_[0-9a-hjkmnp-tv-z]{{26}}{END}")] | None = None


@_routes.add(
    "GET", "/api/v2/chat-sessions", needs(KEY | LOGIN, "read"), name="list", errors=(errors.PROJECT_NOT_FOUND,)
)
async def list_chats(call: Call, query: ChatsQuery) -> ChatSessions:
    """List a project's chat sessions, latest activity first. Search matches the beginnings of words in titles."""
    rows, total = await editing.list_chats(
        call.tx,
        call.caller,
        query.project_id,
        favorites=query.favorites,
        search=query.search or "",
        skip=query.offset,
        take=query.limit,
    )
    return ChatSessions(sessions=await editing.to_sessions(call.tx, call.caller.scope, rows), total=total)


@_routes.add(
    "POST",
    "/api/v2/chat-sessions",
    needs(KEY | LOGIN, "write"),
    name="create",
    status=201,
    errors=(errors.PROJECT_NOT_FOUND, errors.PROJECT_ARCHIVED),
)
async def create_chat(call: Call, body: NewChat) -> ChatCreated:
    """Create a chat session."""
    chat = await editing.create_chat(call.tx, call.caller, body)
    return ChatCreated(ok=True, session_id=chat.id, session=chat)


@_single_routes.add("GET", "/api/v2/chat-sessions/{id}", needs(KEY | LOGIN, "read"), name="get", errors=_MISSING)
async def get_chat(call: Call, id: str) -> ChatSession:
    """Get a chat session without its messages."""
    row = await service.get_chat(call.tx, call.caller, id, Access.READ)
    return (await editing.to_sessions(call.tx, call.caller.scope, [row]))[0]


@_single_routes.add(
    "PATCH",
    "/api/v2/chat-sessions/{id}",
    needs(KEY | LOGIN, "write"),
    name="update",
    errors=(*_CHANGE, errors.NOTHING_TO_UPDATE),
)
async def update_chat(call: Call, id: str, body: ChatUpdate) -> ChatUpdated:
    """Rename or archive a chat session."""
    await editing.update_chat(call.tx, call.caller, id, body)
    return ChatUpdated(ok=True, session_id=id)


@_single_routes.add("DELETE", "/api/v2/chat-sessions/{id}", needs(KEY | LOGIN, "write"), name="delete", errors=_CHANGE)
async def delete_chat(call: Call, id: str) -> ChatUpdated:
    """Permanently delete a chat session and its messages."""
    await editing.delete_chat(call.tx, call.caller, id)
    return ChatUpdated(ok=True, session_id=id)


@_routes.add(
    "POST",
    "/api/v2/chat-sessions/{id}/favorite",
    needs(KEY | LOGIN, "write"),
    name="favorite",
    errors=(*_MISSING, errors.PROJECT_ARCHIVED),
)
async def toggle_favorite(call: Call, id: str) -> ChatFavorited:
    """Add a chat session to the caller's favorites, or remove it."""
    return ChatFavorited(ok=True, favorited=await editing.toggle_favorite(call.tx, call.caller, id))


@_routes.add("GET", "/api/v2/chat-sessions/{id}/messages", needs(KEY | LOGIN, "read"), name="messages", errors=_MISSING)
async def list_messages(call: Call, id: str, query: MessagesQuery) -> ChatMessages:
    """List a chat session's messages, oldest first."""
    await service.get_chat(call.tx, call.caller, id, Access.READ)
    rows = await store.list_messages(call.tx, call.caller.scope, id, after=query.cursor, take=query.take)
    # Read again, so that the page never has more messages than the total.
    chat = await service.get_chat(call.tx, call.caller, id, Access.READ)
    shown = cut_by_size(call, query, rows, [editing.message_shape(row) for row in rows], [row["id"] for row in rows])
    return ChatMessages(messages=shown, total=chat["message_count"])


routes: list[Route] = [*_routes, *_single_routes]
