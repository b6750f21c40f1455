"""What all shapes have in common, and the texts people write."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from cairn.base import limits


class Shape(Struct, kw_only=True, rename="camel"):
    """A request or an answer. Unknown fields in a request are ignored."""


# Text without NUL, which PostgreSQL cannot hold; a name also shows something.
_ANY_TEXT = r"^[^\x00]*$"
_VISIBLE_TEXT = r"^[^\x00]*\S[^\x00]*$"

ProjectName = Annotated[str, Meta(min_length=1, max_length=limits.PROJECT_NAME_CHARS, pattern=_VISIBLE_TEXT)]
KeyName = Annotated[str, Meta(min_length=1, max_length=limits.KEY_NAME_CHARS, pattern=_VISIBLE_TEXT)]
PersonName = Annotated[str, Meta(min_length=1, max_length=limits.PERSON_NAME_CHARS, pattern=_VISIBLE_TEXT)]
TeamName = Annotated[str, Meta(min_length=1, max_length=limits.TEAM_NAME_CHARS, pattern=_VISIBLE_TEXT)]
Description = Annotated[str, Meta(max_length=limits.DESCRIPTION_CHARS, pattern=_ANY_TEXT)]
Email = Annotated[
    str, Meta(min_length=3, max_length=limits.EMAIL_CHARS, pattern=r"^[^@\s\x00-\x1f]+@[^@\s\x00-\x1f]+$")
]
Password = Annotated[
    str, Meta(min_length=limits.PASSWORD_MIN_CHARS, max_length=limits.PASSWORD_MAX_CHARS, pattern=_ANY_TEXT)
]
GivenPassword = Annotated[str, Meta(min_length=1, max_length=limits.PASSWORD_MAX_CHARS, pattern=_ANY_TEXT)]
Token = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"^[A-Za-z0-9._-]+$")]
AnyId = Annotated[str, Meta(min_length=1, max_length=100, pattern=_ANY_TEXT)]


class ErrorShape(Shape):
    """Every refusal."""

    error: str
