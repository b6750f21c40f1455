"""Conversions between turns and database rows."""

from __future__ import annotations

import msgspec

from loremark.memory.recall.turns import Message, Role
from loremark.storage.database import Row

_messages = msgspec.json.Decoder(list[tuple[Role, str]])
_texts = msgspec.json.Decoder(tuple[str, ...])


def to_messages(row: Row) -> tuple[Message, ...]:
    return tuple(Message(role, text) for role, text in _messages.decode(row["messages"]))


def files_of(row: Row) -> tuple[str, ...]:
    return _texts.decode(row["files"])


def commands_of(row: Row) -> tuple[str, ...]:
    return _texts.decode(row["commands"])
