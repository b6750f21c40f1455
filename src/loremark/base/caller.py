"""The caller of a request and the team whose data they may access."""

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
"""The team whose rows a query may touch. Every store function takes one or documents why it cannot."""


class AuthMethod(enum.StrEnum):
    """The kind of credential the caller authenticated with."""

    KEY = "key"
    LOGIN = "login"
    SIGNATURE = "signature"
    OPERATOR = "operator"


class Origin(NamedTuple):
    """Where a request comes from."""

    address: str
    request_id: str


NO_ORIGIN = Origin("", "")


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """A verified caller: one user acting in one team."""

    user_id: str
    team_id: str
    role: Role
    auth_method: AuthMethod
    credential_id: str
    name: str = ""
    email: str = ""
    proof: str = ""
    """The sealed secret that verified a quick signature."""
    address: str = ""
    request_id: str = ""

    @property
    def scope(self) -> Scope:
        return Scope(self.team_id)

    @property
    def manages(self) -> bool:
        """Owner or admin of the team."""
        return self.role in MANAGERS
