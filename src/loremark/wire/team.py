"""The team: members and invitations."""

from __future__ import annotations

from typing import Literal

from loremark.base.caller import Role
from loremark.wire.shapes import Email, Password, PersonName, Shape, Token

AssignableRole = Literal["admin", "member"]


class NewMember(Shape):
    """An email address to invite to the team or add to a project."""

    email: Email
    role: AssignableRole = "member"


class RoleChange(Shape):
    role: AssignableRole


class InvitationAcceptance(Shape):
    """``password``: a new one, or that of the existing account unless it is signed in."""

    token: Token
    name: PersonName | None = None
    password: Password | None = None


class InvitationToken(Shape):
    token: Token


class InvitationPreview(Shape):
    """The team an invitation is for."""

    team_name: str
    email: str
    has_account: bool
    """True if the invited address already has an account, which must sign in to accept."""
    signed_in: bool
    """True if the visitor is signed in with that account, so no password is needed."""
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
