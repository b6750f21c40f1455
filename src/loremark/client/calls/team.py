"""The people of a team."""

from __future__ import annotations

from loremark.client.call import Call, body, path
from loremark.wire.shapes import Shape
from loremark.wire.team import Invitation, TeamMember


class Somebody(Shape):
    """A member, or somebody who was invited and has not come yet."""

    id: str
    email: str
    role: str
    status: str
    name: str = ""


def list_team(cursor: str | None = None, limit: int | None = None) -> Call[list[Somebody]]:
    return Call(method="GET", path=path("/api/team", cursor=cursor, limit=limit), answer=list[Somebody])


def invite(email: str, role: str | None = None) -> Call[Invitation]:
    return Call(method="POST", path="/api/team", answer=Invitation, body=body(email=email, role=role))


def change_role(member_id: str, role: str) -> Call[TeamMember]:
    return Call(method="PATCH", path=path("/api/team/{}", member_id), answer=TeamMember, body=body(role=role))


def remove_member(member_id: str) -> Call[None]:
    return Call(method="DELETE", path=path("/api/team/{}", member_id), answer=type(None))
