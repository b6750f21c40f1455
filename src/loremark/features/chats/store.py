"""Queries for chats, messages and favorites."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, insert, select, update

from loremark.base import clock, ids, limits
from loremark.base.caller import Caller, Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import chat_favorites, chat_messages, chats, projects

_ONE = and_(chats.c.team_id == bindparam("scope"), chats.c.id == bindparam("chat_id"))
_FIND = Sql(select(chats).where(_ONE))
_LOCK = Sql(select(chats).where(_ONE).with_for_update())
_INSERT = Sql(insert(chats))
_UPDATE = Sql(
    update(chats).where(_ONE).values({name: bindparam(f"new_{name}") for name in ("title", "title_words", "status")})
)
_DELETE = Sql(delete(chats).where(_ONE))
# Blocks deletion of the project while a chat is created, so that the cleanup job finds all chats.
_LOCK_PROJECT = Sql(
    select(projects.c.id)
    .where(
        projects.c.team_id == bindparam("scope"),
        projects.c.id == bindparam("of_project"),
        projects.c.deleted_at_ms.is_(None),
    )
    .with_for_update(read=True)
)
_COUNT_TURN = Sql(
    update(chats)
    .where(_ONE)
    .values(
        message_count=chats.c.message_count + bindparam("messages"),
        ai_tokens_used=chats.c.ai_tokens_used + bindparam("ai_tokens"),
        storage_tokens=chats.c.storage_tokens + bindparam("stored"),
        model=bindparam("new_model"),
        last_message_at_ms=bindparam("now_ms"),
    )
)

_OF_CHAT = and_(chat_messages.c.team_id == bindparam("scope"), chat_messages.c.chat_id == bindparam("of_chat"))
_INSERT_MESSAGE = Sql(insert(chat_messages))
_LAST_MESSAGE = Sql(select(chat_messages.c.id).where(_OF_CHAT).order_by(chat_messages.c.id.desc()).limit(1))
_NEWEST = Sql(
    select(chat_messages.c.id, chat_messages.c.role, chat_messages.c.content)
    .where(_OF_CHAT)
    .order_by(chat_messages.c.id.desc())
    .limit(bindparam("take"))
)
_FIND_MESSAGE = Sql(select(chat_messages.c.id).where(_OF_CHAT, chat_messages.c.id == bindparam("message_id")))
_DELETE_MESSAGES = Sql(delete(chat_messages).where(_OF_CHAT))

_FAVORITES_OF_CHAT = and_(
    chat_favorites.c.team_id == bindparam("scope"), chat_favorites.c.chat_id == bindparam("of_chat")
)
_INSERT_FAVORITE = Sql(insert(chat_favorites))
_DELETE_FAVORITE = Sql(
    delete(chat_favorites).where(_FAVORITES_OF_CHAT, chat_favorites.c.user_id == bindparam("by_user"))
)
_DELETE_FAVORITES = Sql(delete(chat_favorites).where(_FAVORITES_OF_CHAT))
_LIST_FAVORITES = Sql(
    select(chat_favorites.c.chat_id, chat_favorites.c.user_id)
    .where(chat_favorites.c.team_id == bindparam("scope"), InList(chat_favorites.c.chat_id, "chat_ids"))
    .order_by(chat_favorites.c.created_at_ms, chat_favorites.c.user_id)
)
_SOME_OF_PROJECT = Sql(
    select(chats.c.id, chats.c.team_id, chats.c.storage_tokens)
    .where(chats.c.project_id == bindparam("of_project"))
    .order_by(chats.c.id)
    .limit(bindparam("take"))
    .with_for_update()
)
_DELETE_SOME = Sql(delete(chats).where(chats.c.project_id == bindparam("of_project"), InList(chats.c.id, "chat_ids")))


async def find_chat(tx: Tx, scope: Scope, chat_id: str) -> Row | None:
    return await tx.one(_FIND, scope=scope, chat_id=chat_id)


async def lock_chat(tx: Tx, scope: Scope, chat_id: str) -> Row | None:
    """Return the chat, locked until the transaction ends."""
    return await tx.one(_LOCK, scope=scope, chat_id=chat_id)


def _matching(caller: Caller, project_id: str, *, favorites: bool, words: Sequence[str]) -> ColumnElement[bool]:
    conditions = [chats.c.team_id == caller.scope, chats.c.project_id == project_id]
    if favorites:
        favorited = select(chat_favorites.c.chat_id).where(
            chat_favorites.c.chat_id == chats.c.id, chat_favorites.c.user_id == caller.user_id
        )
        conditions.append(favorited.exists())
    conditions += [chats.c.title_words.contains(f" {word}", autoescape=True) for word in words]
    return and_(*conditions)


async def list_chats(
    tx: Tx, caller: Caller, project_id: str, *, favorites: bool, words: Sequence[str], skip: int, take: int
) -> tuple[list[Row], int]:
    """Return a page of a project's chats, latest activity first, and the total."""
    condition = _matching(caller, project_id, favorites=favorites, words=words)
    counted = await tx.many(select(func.count().label("total")).select_from(chats).where(condition))
    total = int(counted[0]["total"])
    if skip >= total:
        return [], total
    newest_first = (chats.c.last_message_at_ms.desc(), chats.c.id.desc())
    return await tx.many(select(chats).where(condition).order_by(*newest_first).limit(take).offset(skip)), total


async def lock_project(tx: Tx, scope: Scope, project_id: str) -> bool:
    """Lock the project against deletion; return False if it does not exist."""
    return await tx.one(_LOCK_PROJECT, scope=scope, of_project=project_id) is not None


async def insert_chat(tx: Tx, scope: Scope, columns: Mapping[str, Any]) -> str:
    chat_id, now_ms = ids.new("cht"), clock.now_ms()
    await tx.run(
        _INSERT,
        id=chat_id,
        team_id=scope,
        status="active",
        model=None,
        message_count=0,
        ai_tokens_used=0,
        storage_tokens=0,
        last_message_at_ms=now_ms,
        created_at_ms=now_ms,
        **columns,
    )
    return chat_id


async def update_chat(tx: Tx, scope: Scope, chat_id: str, *, title: str, words: str, status: str) -> None:
    await tx.run(_UPDATE, scope=scope, chat_id=chat_id, new_title=title, new_title_words=words, new_status=status)


async def count_turn(
    tx: Tx, scope: Scope, chat: Row, *, messages: int, ai_tokens: int, stored: int, model: str
) -> None:
    """Update the counters of a locked chat."""
    await tx.run(
        _COUNT_TURN,
        scope=scope,
        chat_id=chat["id"],
        messages=messages,
        ai_tokens=ai_tokens,
        stored=stored,
        new_model=model,
        now_ms=max(clock.now_ms(), chat["last_message_at_ms"]),
    )


async def delete_chat(tx: Tx, scope: Scope, chat_id: str) -> None:
    """Delete a chat with its messages and favorites."""
    await tx.sweep(_DELETE_MESSAGES, scope=scope, of_chat=chat_id)
    await tx.sweep(_DELETE_FAVORITES, scope=scope, of_chat=chat_id)
    await tx.run(_DELETE, scope=scope, chat_id=chat_id)


async def delete_some(tx: Tx, project_id: str, most: int) -> list[Row]:
    """Delete up to ``most`` chats of a deleted project and return them. Unscoped: the job knows only the project."""
    deleted = await tx.many(_SOME_OF_PROJECT, of_project=project_id, take=most)
    if deleted:
        await tx.sweep(_DELETE_SOME, of_project=project_id, chat_ids=[row["id"] for row in deleted])
    return deleted


async def insert_messages(tx: Tx, scope: Scope, chat: Row, messages: Sequence[Mapping[str, Any]]) -> str:
    """Append messages to a locked chat and return the last id.

    Messages are sorted by id, so new ids must follow those written by other processes.
    """
    row = await tx.one(_LAST_MESSAGE, scope=scope, of_chat=chat["id"])
    last, now_ms = row["id"] if row is not None else "", clock.now_ms()
    for message in messages:
        last = ids.new_after("msg", last)
        await tx.run(
            _INSERT_MESSAGE,
            id=last,
            team_id=scope,
            project_id=chat["project_id"],
            chat_id=chat["id"],
            created_at_ms=now_ms,
            **message,
        )
    return str(last)


async def has_message(tx: Tx, scope: Scope, chat_id: str, message_id: str) -> bool:
    return await tx.one(_FIND_MESSAGE, scope=scope, of_chat=chat_id, message_id=message_id) is not None


async def list_newest(tx: Tx, scope: Scope, chat_id: str, take: int) -> list[Row]:
    """List the newest messages, oldest first, without sources."""
    return (await tx.many(_NEWEST, scope=scope, of_chat=chat_id, take=take))[::-1]


async def list_messages(tx: Tx, scope: Scope, chat_id: str, *, after: str | None, take: int) -> list[Row]:
    """List messages, oldest first. Stops early on long texts; ``found`` in each row is the untruncated count."""
    size = (func.length(chat_messages.c.content) + func.length(chat_messages.c.sources)).label("size")
    matching = select(chat_messages.c.id, size).where(
        chat_messages.c.team_id == scope, chat_messages.c.chat_id == chat_id
    )
    if after is not None:
        matching = matching.where(chat_messages.c.id > after)
    page = matching.order_by(chat_messages.c.id).limit(take).subquery()
    up_to = func.sum(page.c.size).over(order_by=page.c.id).label("up_to")
    sizes = select(page, up_to, func.count().over().label("found")).subquery()
    statement = (
        select(chat_messages, sizes.c.found)
        .join(sizes, sizes.c.id == chat_messages.c.id)
        .where(chat_messages.c.team_id == scope, sizes.c.up_to - sizes.c.size <= limits.TEXTS_PAGE_CHARS)
    )
    return await tx.many(statement.order_by(chat_messages.c.id))


async def list_favorites(tx: Tx, scope: Scope, chat_ids: Collection[str]) -> list[Row]:
    """List the favorites of these chats, oldest first."""
    return await tx.many(_LIST_FAVORITES, scope=scope, chat_ids=list(chat_ids)) if chat_ids else []


async def add_favorite(tx: Tx, scope: Scope, chat: Row, user_id: str) -> None:
    await tx.run(
        _INSERT_FAVORITE,
        chat_id=chat["id"],
        user_id=user_id,
        team_id=scope,
        project_id=chat["project_id"],
        created_at_ms=clock.now_ms(),
    )


async def delete_favorite(tx: Tx, scope: Scope, chat_id: str, user_id: str) -> bool:
    """Delete the favorite; return whether it existed."""
    return await tx.run(_DELETE_FAVORITE, scope=scope, of_chat=chat_id, by_user=user_id) > 0
