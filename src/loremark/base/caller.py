"""The caller of a request and the team whose data they may access."""

from __future__ import annotations

import enum
from typing import Literal, NamedTuple, NewType, get_args

import msgspec

Role = Literal["owner", "admin", "member"]

OWNER: Role = "owner"
ADMIN: Role = "admin"
MEMBER: Role = "member"
MANAGERS: frozenset[Role] = frozenset((OWNER, ADMIN))

KeyScope = Literal["read", "write", "capture", "admin"]
"""What an API key may do. A route names the scopes of which a key needs one."""

KEY_SCOPES: tuple[KeyScope, ...] = get_args(KeyScope)
AGENT_SCOPES: tuple[KeyScope, ...] = ("read", "capture")
"""What the key of a coding agent may do."""

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
    user_agent: str = ""


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
    key_scopes: frozenset[KeyScope] | None = None
    """What the caller's API key is limited to; None without a limit."""
    only_project: str | None = None
    """The project that the caller's API key is limited to."""
    is_limited: bool = False
    """Whether the API key has any limit: scopes, a project, an expiry date or addresses."""

    @property
    def scope(self) -> Scope:
        return Scope(self.team_id)

    @property
    def manages(self) -> bool:
        """Owner or admin of the team, with a credential for the whole team."""
        return self.role in MANAGERS and self.only_project is None

    def has_scope(self, scope: KeyScope) -> bool:
        return self.key_scopes is None or scope in self.key_scopes


def system_caller(scope: Scope, name: str) -> Caller:
    """The actor for the audit log when no user is involved."""
    return Caller(user_id="", team_id=scope, role=OWNER, auth_method=AuthMethod.OPERATOR, credential_id="", name=name)
