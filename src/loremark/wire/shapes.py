"""The base class of requests and responses, and the types of their text fields."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from loremark.base import limits


class Shape(Struct, kw_only=True, rename="camel"):
    """Base of all request and response bodies. Unknown fields in a request are ignored."""


# Text must not contain NUL, which PostgreSQL cannot store; names also need a visible character.
# ``(?!\n)``: in Python, unlike JSON Schema, ``$`` also matches before a trailing newline. Blank characters are listed
# because regex dialects disagree on ``\s``.
END = r"$(?!\n)"
ANY_TEXT = rf"^[^\x00]*{END}"
_BLANK = r"\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff"
VISIBLE_TEXT = rf"^[^\x00]*[^{_BLANK}][^\x00]*{END}"

ProjectName = Annotated[str, Meta(min_length=1, max_length=limits.PROJECT_NAME_CHARS, pattern=VISIBLE_TEXT)]
BranchName = Annotated[str, Meta(min_length=1, max_length=limits.BRANCH_CHARS, pattern=ANY_TEXT)]
KeyName = Annotated[str, Meta(min_length=1, max_length=limits.KEY_NAME_CHARS, pattern=VISIBLE_TEXT)]
PersonName = Annotated[str, Meta(min_length=1, max_length=limits.PERSON_NAME_CHARS, pattern=VISIBLE_TEXT)]
TeamName = Annotated[str, Meta(min_length=1, max_length=limits.TEAM_NAME_CHARS, pattern=VISIBLE_TEXT)]
Description = Annotated[str, Meta(max_length=limits.DESCRIPTION_CHARS, pattern=ANY_TEXT)]
Email = Annotated[str, Meta(min_length=3, max_length=limits.EMAIL_CHARS, pattern=rf"^[^@{_BLANK}]+@[^@{_BLANK}]+{END}")]
Password = Annotated[
    str, Meta(min_length=limits.PASSWORD_MIN_CHARS, max_length=limits.PASSWORD_MAX_CHARS, pattern=ANY_TEXT)
]
PasswordInput = Annotated[str, Meta(min_length=1, max_length=limits.PASSWORD_MAX_CHARS, pattern=ANY_TEXT)]
Token = Annotated[str, Meta(min_length=1, max_length=500, pattern=rf"^[A-Za-z0-9._-]+{END}")]
NetworkAddress = Annotated[str, Meta(min_length=1, max_length=limits.ADDRESS_CHARS, pattern=ANY_TEXT)]
# ISO 8601 with a UTC offset.
Time = Annotated[datetime, Meta(tz=True)]
AnyId = Annotated[str, Meta(min_length=1, max_length=100, pattern=ANY_TEXT)]


class ErrorBody(Shape):
    """The body of every error response."""

    error: str
