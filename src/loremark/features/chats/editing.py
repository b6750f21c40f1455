"""What people do with conversations: look at them, name, put aside, like and delete them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from loremark.base import clock, errors
from loremark.base.caller import Caller, Scope
from loremark.features.audit import store as audit
from loremark.features.chats import store
from loremark.features.chats.service import get_chat, hold, open_chat, refuse_archived
from loremark.features.chats.titles import clean_title, title_words, wanted_words
from loremark.features.metering.service import count_chat_storage
from loremark.features.projects.access import Right, get_project
from loremark.jobs.notices import tell_changed
from loremark.storage.database import Row, Tx
from loremark.wire.answers import Source
from loremark.wire.chats import ChatChange, ChatMessage, ChatSession, NewChat


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


async def show(tx: Tx, scope: Scope, rows: Sequence[Row]) -> list[ChatSession]:
    """Conversations with those who like them."""
    liked_by: dict[str, list[str]] = {row["id"]: [] for row in rows}
    for like in await store.list_favorites(tx, scope, liked_by.keys()):
        liked_by[like["chat_id"]].append(like["user_id"])
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
            favorited_by=liked_by[row["id"]],
            status=row["status"],
            last_message_at=clock.iso(row["last_message_at_ms"]),
            created_at=clock.iso(row["created_at_ms"]),
        )
        for row in rows
    ]


async def list_chats(
    tx: Tx, caller: Caller, project_id: str, *, favorites: bool, search: str, skip: int, take: int
) -> tuple[list[Row], int]:
    """Of a project the caller may see: the newest activity first, and how many there are in all."""
    await get_project(tx, caller, project_id, Right.READ)
    words = wanted_words(search)
    if words is None:
        return [], 0
    return await store.list_chats(tx, caller, project_id, favorites=favorites, words=words, skip=skip, take=take)


async def create_chat(tx: Tx, caller: Caller, wanted: NewChat) -> ChatSession:
    """Who may read a project may talk about it."""
    refuse_archived(await get_project(tx, caller, wanted.project_id, Right.READ))
    made = await open_chat(tx, caller.scope, project_id=wanted.project_id, user_id=caller.user_id, title=wanted.title)
    return (await show(tx, caller.scope, [await get_chat(tx, caller, made, Right.READ)]))[0]


async def update_chat(tx: Tx, caller: Caller, chat_id: str, change: ChatChange) -> None:
    """Apply what is valid. There is no way back from the archive, so ``active`` is no valid status."""
    chat = await get_chat(tx, caller, chat_id, Right.WRITE)
    title = clean_title(change.title) if isinstance(change.title, str) else None
    archives = change.status == "archived"
    if title is None and not archives:
        raise errors.NOTHING_TO_UPDATE()
    kept, status = title or chat["title"], "archived" if archives else chat["status"]
    if (kept, status) == (chat["title"], chat["status"]):
        return
    await store.update_chat(tx, caller.scope, chat_id, title=kept, words=title_words(kept), status=status)
    tell_changed(tx, caller.scope, "chats", chat["project_id"])


async def delete_chat(tx: Tx, caller: Caller, chat_id: str) -> None:
    """For ever, with its messages; what it held is the team's again."""
    chat = await get_chat(tx, caller, chat_id, Right.WRITE)
    await store.delete_chat(tx, caller.scope, chat_id)
    await audit.record(tx, caller, "chat.deleted", chat_id, project_id=chat["project_id"], title=chat["title"])
    tell_changed(tx, caller.scope, "chats", chat["project_id"])
    await count_chat_storage(tx, caller.scope, -chat["storage_tokens"])


async def toggle_favorite(tx: Tx, caller: Caller, chat_id: str) -> bool:
    """Whether the caller likes it from now on. One after the other, so that twice is as if never."""
    chat = await get_chat(tx, caller, chat_id, Right.READ)
    refuse_archived(await get_project(tx, caller, chat["project_id"], Right.READ))
    await hold(tx, caller.scope, chat_id)
    liked = not await store.delete_favorite(tx, caller.scope, chat_id, caller.user_id)
    if liked:
        await store.add_favorite(tx, caller.scope, chat, caller.user_id)
    tell_changed(tx, caller.scope, "chats", chat["project_id"])
    return liked
