"""/api/v2/chat-sessions."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from loremark.base import errors, limits
from loremark.features.chats import editing, service, store
from loremark.features.history.shown import cut_by_size
from loremark.features.projects.access import Right
from loremark.web.call import Call
from loremark.web.needs import KEY, LOGIN, needs
from loremark.web.paging import Page
from loremark.web.routes import Route, Routes
from loremark.wire.chats import (
    ChatChange,
    ChatChanged,
    ChatCreated,
    ChatFavorited,
    ChatMessages,
    ChatSession,
    ChatSessions,
    NewChat,
)
from loremark.wire.shapes import END

_routes = Routes("chat")
# About one conversation the contract has other words for a caller who is nobody.
_of_one = Routes("chat", unauthorized=errors.UNAUTHORIZED)

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
    """The cursor is a message; where no such message is, the page begins where it would stand."""

    limit: Annotated[int, Meta(ge=1, le=limits.MESSAGES_PAGE)] = limits.MESSAGES_PAGE_DEFAULT
    cursor: Annotated[str, Meta(pattern=rf"^msg_[0-9a-hjkmnp-tv-z]{{26}}{END}")] | None = None


@_routes.add("GET", "/api/v2/chat-sessions", needs(KEY | LOGIN), name="list", errors=(errors.PROJECT_NOT_FOUND,))
async def list_chats(call: Call, query: ChatsQuery) -> ChatSessions:
    """A project's conversations, the newest activity first. A search finds titles by how their words begin."""
    rows, total = await editing.list_chats(
        call.tx,
        call.caller,
        query.project_id,
        favorites=query.favorites,
        search=query.search or "",
        skip=query.offset,
        take=query.limit,
    )
    return ChatSessions(sessions=await editing.show(call.tx, call.caller.scope, rows), total=total)


@_routes.add(
    "POST",
    "/api/v2/chat-sessions",
    needs(KEY | LOGIN),
    name="create",
    status=201,
    errors=(errors.PROJECT_NOT_FOUND, errors.PROJECT_ARCHIVED),
)
async def create_chat(call: Call, body: NewChat) -> ChatCreated:
    """Begin a conversation."""
    chat = await editing.create_chat(call.tx, call.caller, body)
    return ChatCreated(ok=True, session_id=chat.id, session=chat)


@_of_one.add("GET", "/api/v2/chat-sessions/{id}", needs(KEY | LOGIN), name="get", errors=_MISSING)
async def get_chat(call: Call, id: str) -> ChatSession:
    """One conversation, without its messages."""
    row = await service.get_chat(call.tx, call.caller, id, Right.READ)
    return (await editing.show(call.tx, call.caller.scope, [row]))[0]


@_of_one.add(
    "PATCH",
    "/api/v2/chat-sessions/{id}",
    needs(KEY | LOGIN),
    name="update",
    errors=(*_CHANGE, errors.NOTHING_TO_UPDATE),
)
async def update_chat(call: Call, id: str, body: ChatChange) -> ChatChanged:
    """Name a conversation, or put it aside."""
    await editing.update_chat(call.tx, call.caller, id, body)
    return ChatChanged(ok=True, session_id=id)


@_of_one.add("DELETE", "/api/v2/chat-sessions/{id}", needs(KEY | LOGIN), name="delete", errors=_CHANGE)
async def delete_chat(call: Call, id: str) -> ChatChanged:
    """Delete a conversation for ever, with its messages."""
    await editing.delete_chat(call.tx, call.caller, id)
    return ChatChanged(ok=True, session_id=id)


@_routes.add(
    "POST",
    "/api/v2/chat-sessions/{id}/favorite",
    needs(KEY | LOGIN),
    name="favorite",
    errors=(*_MISSING, errors.PROJECT_ARCHIVED),
)
async def toggle_favorite(call: Call, id: str) -> ChatFavorited:
    """Make a conversation one of the caller's favourites, or no longer so."""
    return ChatFavorited(ok=True, favorited=await editing.toggle_favorite(call.tx, call.caller, id))


@_routes.add("GET", "/api/v2/chat-sessions/{id}/messages", needs(KEY | LOGIN), name="messages", errors=_MISSING)
async def list_messages(call: Call, id: str, query: MessagesQuery) -> ChatMessages:
    """The messages of a conversation, oldest first."""
    await service.get_chat(call.tx, call.caller, id, Right.READ)
    rows = await store.list_messages(call.tx, call.caller.scope, id, after=query.cursor, take=query.take)
    # Read again, so that no page shows more than the total tells.
    chat = await service.get_chat(call.tx, call.caller, id, Right.READ)
    shown = cut_by_size(call, query, rows, [editing.message_shape(row) for row in rows], [row["id"] for row in rows])
    return ChatMessages(messages=shown, total=chat["message_count"])


routes: list[Route] = [*_routes, *_of_one]
