"""The team: members and invitations."""

from __future__ import annotations

from typing import Literal

from loremark.base.caller import Role
from loremark.wire.shapes import Email, Password, PersonName, Shape, Token

GivenRole = Literal["admin", "member"]


class NewMember(Shape):
    """An address to invite, or to add to a project."""

    email: Email
    role: GivenRole = "member"


class RoleChange(Shape):
    role: GivenRole


class Acceptance(Shape):
    token: Token
    name: PersonName | None = None
    password: Password | None = None


class InvitationToken(Shape):
    token: Token


class InvitationSeen(Shape):
    """What an invitation is to, for whoever holds its link."""

    team_name: str
    email: str
    has_account: bool
    """Whether the address has one already: then no password is to be chosen."""
    expires_at: str


class TeamMember(Shape):
    id: str
    user_id: str
    name: str
    email: str
    role: Role
    joined_at: str
    status: Literal["active"] = "active"


class Invitation(Shape):
    id: str
    email: str
    role: Role
    status: Literal["invited"]
    invited_at: str
