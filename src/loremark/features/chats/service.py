"""Chat access rules, and the operations used to answer questions.

Everyone with read access to the project can read its chats. Only the author can continue a chat.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from loremark.base import errors, ids
from loremark.base.caller import Caller, Scope
from loremark.base.limits import CHAT_TITLE_CHARS
from loremark.base.redaction.written import redact_texts
from loremark.features.chats import store
from loremark.features.chats.titles import clean_title, title_words
from loremark.features.history.tokens import count_tokens
from loremark.features.metering.service import count_chat_storage
from loremark.features.projects.access import Access, access_of, get_project
from loremark.jobs.notices import notify_changed
from loremark.storage.database import Row, Tx
from loremark.wire.answers import Source
from loremark.wire.chats import DEFAULT_TITLE

_CHATS = "chats"


async def get_chat(tx: Tx, caller: Caller, chat_id: str, access: Access) -> Row:
    """Return the chat if the caller has the requested right, locked for update unless it is only read.

    The author and project admins can change a chat, unless the project is archived.
    """
    chat = await store.find_chat(tx, caller.scope, chat_id)
    if chat is None:
        raise errors.SESSION_NOT_FOUND()
    try:
        project = await get_project(tx, caller, chat["project_id"], Access.READ)
    except errors.Refusal as refusal:
        raise errors.SESSION_NOT_FOUND() if refusal.kind is errors.PROJECT_NOT_FOUND else refusal from None
    if access is Access.READ:
        return chat
    if chat["user_id"] != caller.user_id and access_of(caller, project) is not Access.MANAGE:
        raise errors.FORBIDDEN()
    refuse_archived(project)
    return await lock_chat(tx, caller.scope, chat_id)


def refuse_archived(project: Row) -> None:
    if project["status"] == "archived":
        raise errors.PROJECT_ARCHIVED()


async def lock_chat(tx: Tx, scope: Scope, chat_id: str) -> Row:
    locked = await store.lock_chat(tx, scope, chat_id)
    if locked is None:
        raise errors.SESSION_NOT_FOUND()
    return locked


async def open_chat(tx: Tx, scope: Scope, *, project_id: str, user_id: str, title: str | None) -> str:
    """Create a chat. A long title is truncated, and an invisible one replaced by the default."""
    if not await store.lock_project(tx, scope, project_id):
        raise errors.PROJECT_NOT_FOUND()
    stored_title = (clean_title(title) or DEFAULT_TITLE)[:CHAT_TITLE_CHARS]
    columns = {
        "project_id": project_id,
        "user_id": user_id,
        "title": stored_title,
        "title_words": title_words(stored_title),
    }
    chat_id = await store.insert_chat(tx, scope, columns)
    notify_changed(tx, scope, _CHATS, project_id)
    return chat_id


async def find_for_answer(tx: Tx, scope: Scope, chat_id: str, project_id: str, user_id: str) -> Row | None:
    """Return the chat if it belongs to this user and project."""
    if not ids.looks_valid(chat_id, "cht"):
        return None
    chat = await store.find_chat(tx, scope, chat_id)
    if chat is None or (chat["project_id"], chat["user_id"]) != (project_id, user_id):
        return None
    return chat


async def list_turns(tx: Tx, scope: Scope, chat_id: str, take: int) -> list[Row]:
    """List the newest messages, oldest first, with ``id``, ``role`` and ``content``."""
    return await store.list_newest(tx, scope, chat_id, take)


async def clean_texts(*texts: str) -> list[str]:
    """Return texts that can be stored, without secrets. Searching them takes time, so not in a transaction."""
    return await redact_texts([_storable(text) for text in texts])


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
    """Store a question and its answer, both from ``clean_texts``, and count their tokens.

    Returns the answer's message id, or None if the chat has been deleted.

    Call it last in a transaction, because it locks the chat and the team's counter.
    """
    chat = await store.lock_chat(tx, scope, chat_id)
    if chat is None:
        return None
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "model": model}
    no_usage = {"prompt_tokens": 0, "completion_tokens": 0, "model": None}
    messages = (
        {"role": "user", "content": question, "sources": "[]", **no_usage},
        {"role": "assistant", "content": answer, "sources": msgspec.json.encode(sources).decode(), **usage},
    )
    answer_id = await store.insert_messages(tx, scope, chat, messages)
    stored = count_tokens(question) + count_tokens(answer)
    spent = prompt_tokens + completion_tokens
    await store.count_turn(tx, scope, chat, messages=len(messages), ai_tokens=spent, stored=stored, model=model)
    await count_chat_storage(tx, scope, stored)
    notify_changed(tx, scope, _CHATS, chat["project_id"])
    return answer_id


async def chat_exists(tx: Tx, scope: Scope, chat_id: str) -> bool:
    return await store.find_chat(tx, scope, chat_id) is not None


async def has_message(tx: Tx, scope: Scope, chat_id: str, message_id: str) -> bool:
    """Return whether the chat has this message. What ``add_turn`` wrote may have been rolled back."""
    return await store.has_message(tx, scope, chat_id, message_id)


def _storable(text: str) -> str:
    """Replace NUL and lone surrogates, which models may produce and the database cannot store."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
