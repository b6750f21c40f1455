"""Who is asking, and whose data they may see."""

from __future__ import annotations

import enum
from typing import Literal, NamedTuple, NewType

import msgspec

Role = Literal["owner", "admin", "member"]

OWNER: Role = "owner"
ADMIN: Role = "admin"
MEMBER: Role = "member"
MANAGERS: frozenset[Role] = frozenset((OWNER, ADMIN))

Scope = NewType("Scope", str)
"""The team whose rows a query may touch. Every store function takes one, or says why it cannot."""


class Via(enum.StrEnum):
    """The credential a caller came with."""

    KEY = "key"
    LOGIN = "login"
    SIGNATURE = "signature"
    OPERATOR = "operator"


class Origin(NamedTuple):
    """Where a request comes from."""

    address: str
    request_id: str


NOWHERE = Origin("", "")


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """A verified caller: one user acting in one team."""

    user_id: str
    team_id: str
    role: Role
    via: Via
    credential_id: str
    name: str = ""
    email: str = ""
    proof: str = ""
    """By which sealed secret a quick signature was verified."""
    address: str = ""
    request_id: str = ""

    @property
    def scope(self) -> Scope:
        return Scope(self.team_id)

    @property
    def manages(self) -> bool:
        """Owner or admin of the team."""
        return self.role in MANAGERS
