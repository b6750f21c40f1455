"""Team members and invitations."""

from __future__ import annotations

from loremark.client.call import Call, body, path
from loremark.wire.shapes import Shape
from loremark.wire.team import Invitation, TeamMember


class TeamEntry(Shape):
    """A member, or a pending invitation."""

    id: str
    email: str
    role: str
    status: str
    name: str = ""


def list_team(cursor: str | None = None, limit: int | None = None) -> Call[list[TeamEntry]]:
    return Call(method="GET", path=path("/api/team", cursor=cursor, limit=limit), response_type=list[TeamEntry])


def invite(email: str, role: str | None = None) -> Call[Invitation]:
    return Call(method="POST", path="/api/team", response_type=Invitation, body=body(email=email, role=role))


def change_role(member_id: str, role: str) -> Call[TeamMember]:
    return Call(method="PATCH", path=path("/api/team/{}", member_id), response_type=TeamMember, body=body(role=role))


def remove_member(member_id: str) -> Call[None]:
    return Call(method="DELETE", path=path("/api/team/{}", member_id), response_type=type(None))
