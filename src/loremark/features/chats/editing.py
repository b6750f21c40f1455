"""Chat operations available to users: list, create, rename, archive, favorite and delete."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from loremark.base import clock, errors
from loremark.base.caller import Caller, Scope
from loremark.features.audit import store as audit
from loremark.features.chats import store
from loremark.features.chats.service import get_chat, lock_chat, open_chat, refuse_archived
from loremark.features.chats.titles import clean_title, search_words, title_words
from loremark.features.metering.service import count_chat_storage
from loremark.features.projects.access import Access, get_project
from loremark.jobs.notices import notify_changed
from loremark.storage.database import Row, Tx
from loremark.wire.answers import Source
from loremark.wire.chats import ChatMessage, ChatSession, ChatUpdate, NewChat


def message_shape(row: Row) -> ChatMessage:
    return ChatMessage(
        id=row["id"],
        role=row["role"],
        content=row["content"],
        sources=msgspec.json.decode(row["sources"], type=list[Source]),
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        total_tokens=row["prompt_tokens"] + row["completion_tokens"],
        model=row["model"],
        created_at=clock.iso(row["created_at_ms"]),
    )


async def to_sessions(tx: Tx, scope: Scope, rows: Sequence[Row]) -> list[ChatSession]:
    """Return chat sessions with the users who favorited them."""
    favorited_by: dict[str, list[str]] = {row["id"]: [] for row in rows}
    for favorite in await store.list_favorites(tx, scope, favorited_by.keys()):
        favorited_by[favorite["chat_id"]].append(favorite["user_id"])
    return [
        ChatSession(
            id=row["id"],
            project_id=row["project_id"],
            user_id=row["user_id"],
            title=row["title"],
            message_count=row["message_count"],
            ai_tokens_used=row["ai_tokens_used"],
            storage_tokens=row["storage_tokens"],
            model=row["model"],
            favorited_by=favorited_by[row["id"]],
            status=row["status"],
            last_message_at=clock.iso(row["last_message_at_ms"]),
            created_at=clock.iso(row["created_at_ms"]),
        )
        for row in rows
    ]


async def list_chats(
    tx: Tx, caller: Caller, project_id: str, *, favorites: bool, search: str, skip: int, take: int
) -> tuple[list[Row], int]:
    """Return a page of the project's chats, latest activity first, and the total."""
    await get_project(tx, caller, project_id, Access.READ)
    words = search_words(search)
    if words is None:
        return [], 0
    return await store.list_chats(tx, caller, project_id, favorites=favorites, words=words, skip=skip, take=take)


async def create_chat(tx: Tx, caller: Caller, request: NewChat) -> ChatSession:
    """Create a chat. Read access to the project is enough."""
    refuse_archived(await get_project(tx, caller, request.project_id, Access.READ))
    chat_id = await open_chat(
        tx, caller.scope, project_id=request.project_id, user_id=caller.user_id, title=request.title
    )
    return (await to_sessions(tx, caller.scope, [await get_chat(tx, caller, chat_id, Access.READ)]))[0]


async def update_chat(tx: Tx, caller: Caller, chat_id: str, change: ChatUpdate) -> None:
    """Apply the valid fields. Archiving is final, so ``active`` is not a valid status."""
    chat = await get_chat(tx, caller, chat_id, Access.WRITE)
    title = clean_title(change.title) if isinstance(change.title, str) else None
    archives = change.status == "archived"
    if title is None and not archives:
        raise errors.NOTHING_TO_UPDATE()
    new_title, status = title or chat["title"], "archived" if archives else chat["status"]
    if (new_title, status) == (chat["title"], chat["status"]):
        return
    await store.update_chat(tx, caller.scope, chat_id, title=new_title, words=title_words(new_title), status=status)
    notify_changed(tx, caller.scope, "chats", chat["project_id"])


async def delete_chat(tx: Tx, caller: Caller, chat_id: str) -> None:
    """Permanently delete a chat with its messages, and release its storage."""
    chat = await get_chat(tx, caller, chat_id, Access.WRITE)
    await store.delete_chat(tx, caller.scope, chat_id)
    await audit.record(tx, caller, "chat.deleted", chat_id, project_id=chat["project_id"], title=chat["title"])
    notify_changed(tx, caller.scope, "chats", chat["project_id"])
    await count_chat_storage(tx, caller.scope, -chat["storage_tokens"])


async def toggle_favorite(tx: Tx, caller: Caller, chat_id: str) -> bool:
    """Toggle the favorite and return its new state. The chat is locked so that concurrent toggles do not collide."""
    chat = await get_chat(tx, caller, chat_id, Access.READ)
    refuse_archived(await get_project(tx, caller, chat["project_id"], Access.READ))
    await lock_chat(tx, caller.scope, chat_id)
    favorited = not await store.delete_favorite(tx, caller.scope, chat_id, caller.user_id)
    if favorited:
        await store.add_favorite(tx, caller.scope, chat, caller.user_id)
    notify_changed(tx, caller.scope, "chats", chat["project_id"])
    return favorited
