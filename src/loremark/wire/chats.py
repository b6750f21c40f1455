"""Chat sessions: conversations about a project's memory."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.wire.answers import Source
from loremark.wire.shapes import ANY_TEXT, AnyId, Shape

DEFAULT_TITLE = "New conversation"

ChatStatus = Literal["active", "archived"]
ChatRole = Literal["user", "assistant"]

ChatTitle = Annotated[str, Meta(max_length=limits.CHAT_TITLE_CHARS, pattern=ANY_TEXT)]
StatusInput = Annotated[Any, Meta(description="Only `archived` has an effect; any other value is ignored.")]


class NewChat(Shape):
    """A blank title is replaced by the default."""

    project_id: AnyId
    title: ChatTitle | None = DEFAULT_TITLE


class ChatUpdate(Shape):
    """Invalid fields are ignored, but at least one must be valid."""

    title: ChatTitle | UnsetType | None = UNSET
    status: StatusInput = UNSET


class ChatSession(Shape):
    """A chat session without its messages. ``lastMessageAt`` is the creation time until the first message."""

    id: str
    project_id: str
    user_id: str
    title: str
    message_count: int
    ai_tokens_used: int
    storage_tokens: int
    model: str | None
    favorited_by: list[str]
    status: ChatStatus
    last_message_at: str
    created_at: str


class ChatSessions(Shape):
    """A page of chat sessions; ``total`` counts all matches."""

    sessions: list[ChatSession]
    total: int


class ChatCreated(Shape):
    ok: bool
    session_id: str
    session: ChatSession


class ChatUpdated(Shape):
    ok: bool
    session_id: str


class ChatFavorited(Shape):
    ok: bool
    favorited: bool


class ChatMessage(Shape):
    id: str
    role: ChatRole
    content: str
    sources: list[Source]
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    model: str | None
    created_at: str


class ChatMessages(Shape):
    """A page of messages, oldest first; ``total`` counts all messages of the chat session."""

    messages: list[ChatMessage]
    total: int
