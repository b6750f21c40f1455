"""What all shapes have in common, and the texts people write."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from loremark.base import limits


class Shape(Struct, kw_only=True, rename="camel"):
    """A request or an answer. Unknown fields in a request are ignored."""


# Text without NUL, which PostgreSQL cannot hold; a name also shows something.
# ``(?!\n)``: in Python, but not in JSON Schema, ``$`` also stands before a last line break. The characters that
# show nothing are written out for the same reason: languages differ in what ``\s`` means.
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
GivenPassword = Annotated[str, Meta(min_length=1, max_length=limits.PASSWORD_MAX_CHARS, pattern=ANY_TEXT)]
Token = Annotated[str, Meta(min_length=1, max_length=500, pattern=rf"^[A-Za-z0-9._-]+{END}")]
AnyId = Annotated[str, Meta(min_length=1, max_length=100, pattern=ANY_TEXT)]


class ErrorShape(Shape):
    """Every refusal."""

    error: str
