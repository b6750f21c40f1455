"""Conversations for whoever answers: opened, found again, read, and continued by a turn at a time.

A conversation belongs to a project's memory: who may read the project reads it. Only its author goes on with it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from loremark.base import errors, ids
from loremark.base.caller import Caller, Scope
from loremark.base.limits import CHAT_TITLE_CHARS
from loremark.features.chats import store
from loremark.features.chats.titles import clean_title, title_words
from loremark.features.history.tokens import count_tokens
from loremark.features.metering.service import count_chat_storage
from loremark.features.projects.access import Right, get_project, right_of
from loremark.jobs.notices import tell_changed
from loremark.storage.database import Row, Tx
from loremark.wire.answers import Source
from loremark.wire.chats import DEFAULT_TITLE

_CHATS = "chats"


async def get_chat(tx: Tx, caller: Caller, chat_id: str, wanted: Right) -> Row:
    """The conversation, if the caller may see it; one that is wanted for a change is held.

    Its author changes it, and who manages the project; both only while the project is not archived.
    """
    chat = await store.find_chat(tx, caller.scope, chat_id)
    if chat is None:
        raise errors.SESSION_NOT_FOUND()
    try:
        project = await get_project(tx, caller, chat["project_id"], Right.READ)
    except errors.Refusal as refusal:
        raise errors.SESSION_NOT_FOUND() if refusal.kind is errors.PROJECT_NOT_FOUND else refusal from None
    if wanted is Right.READ:
        return chat
    if chat["user_id"] != caller.user_id and right_of(caller, project) is not Right.MANAGE:
        raise errors.FORBIDDEN()
    refuse_archived(project)
    return await hold(tx, caller.scope, chat_id)


def refuse_archived(project: Row) -> None:
    if project["status"] == "archived":
        raise errors.PROJECT_ARCHIVED()


async def hold(tx: Tx, scope: Scope, chat_id: str) -> Row:
    held = await store.hold_chat(tx, scope, chat_id)
    if held is None:
        raise errors.SESSION_NOT_FOUND()
    return held


async def open_chat(tx: Tx, scope: Scope, *, project_id: str, user_id: str, title: str | None) -> str:
    """A new conversation of this user. A title too long is cut; one that shows nothing is the usual one."""
    if not await store.hold_project(tx, scope, project_id):
        raise errors.PROJECT_NOT_FOUND()
    kept = (clean_title(title) or DEFAULT_TITLE)[:CHAT_TITLE_CHARS]
    columns = {"project_id": project_id, "user_id": user_id, "title": kept, "title_words": title_words(kept)}
    chat_id = await store.insert_chat(tx, scope, columns)
    tell_changed(tx, scope, _CHATS, project_id)
    return chat_id


async def find_for_answer(tx: Tx, scope: Scope, chat_id: str, project_id: str, user_id: str) -> Row | None:
    """The conversation, if this user may go on with it in this project: it must be their own."""
    if not ids.looks_valid(chat_id, "cht"):
        return None
    chat = await store.find_chat(tx, scope, chat_id)
    if chat is None or (chat["project_id"], chat["user_id"]) != (project_id, user_id):
        return None
    return chat


async def list_turns(tx: Tx, scope: Scope, chat_id: str, take: int) -> list[Row]:
    """The newest messages, at most so many, oldest first; each with ``id``, ``role`` and ``content``."""
    return await store.list_newest(tx, scope, chat_id, take)


async def add_turn(
    tx: Tx,
    scope: Scope,
    chat_id: str,
    *,
    question: str,
    answer: str,
    sources: Sequence[Source],
    prompt_tokens: int,
    completion_tokens: int,
    model: str,
) -> str | None:
    """A question and its answer, with all that is counted. Returns the answer's id.

    None when the conversation has gone meanwhile.

    Last in a transaction: the conversation and the team's counter stay held until its end.
    """
    chat = await store.hold_chat(tx, scope, chat_id)
    if chat is None:
        return None
    asked, answered = _storable(question), _storable(answer)
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "model": model}
    nothing = {"prompt_tokens": 0, "completion_tokens": 0, "model": None}
    messages = (
        {"role": "user", "content": asked, "sources": "[]", **nothing},
        {"role": "assistant", "content": answered, "sources": msgspec.json.encode(sources).decode(), **usage},
    )
    answer_id = await store.insert_messages(tx, scope, chat, messages)
    stored = count_tokens(asked) + count_tokens(answered)
    spent = prompt_tokens + completion_tokens
    await store.count_turn(tx, scope, chat, messages=len(messages), ai_tokens=spent, stored=stored, model=model)
    await count_chat_storage(tx, scope, stored)
    tell_changed(tx, scope, _CHATS, chat["project_id"])
    return answer_id


async def is_there(tx: Tx, scope: Scope, chat_id: str) -> bool:
    return await store.find_chat(tx, scope, chat_id) is not None


async def has_message(tx: Tx, scope: Scope, chat_id: str, message_id: str) -> bool:
    """Whether this message is in the conversation: what ``add_turn`` wrote may have been rolled back."""
    return await store.has_message(tx, scope, chat_id, message_id)


def _storable(text: str) -> str:
    """What a model writes may hold what a database cannot: NUL, or halves of characters."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
