"""/api/team: list, invite, change a role, remove, look at an invitation and accept it."""

from __future__ import annotations

from typing import Literal

from loremark.base import errors
from loremark.base.caller import MANAGERS
from loremark.base.passwords import Passwords
from loremark.features.identity.cookies import LoginCookie
from loremark.features.team import invitations, service, store
from loremark.features.team.tokens import InvitationTokens
from loremark.web.call import Call
from loremark.web.needs import ANYONE, KEY, LOGIN, Origins, needs
from loremark.web.paging import Page, cut
from loremark.web.routes import Routes, TxMode
from loremark.wire.team import (
    Acceptance,
    Invitation,
    InvitationSeen,
    InvitationToken,
    NewMember,
    RoleChange,
    TeamMember,
)

routes = Routes("team")


class TeamQuery(Page, frozen=True):
    include: Literal["invited"] | None = None


@routes.add("GET", "/api/team", needs(KEY | LOGIN), name="list")
async def list_team(call: Call, query: TeamQuery) -> list[TeamMember | Invitation]:
    """The members of the team, oldest first; with ``include=invited`` the open invitations too."""
    among_invited = query.include == "invited" and (query.cursor or "").startswith("inv_")
    found: list[TeamMember | Invitation] = []
    if not among_invited:
        rows = await store.list_members(call.tx, call.caller.scope, after=query.cursor, take=query.take)
        found += [service.member_shape(row) for row in rows]
    if query.include == "invited" and len(found) < query.take:
        after = query.cursor if among_invited else None
        open_ones = await invitations.list_open(call.tx, call.caller.scope)
        found += [
            service.invitation_shape(row, service.team_role(row)) for row in open_ones if row["id"] > (after or "")
        ]
    return cut(call, query, found, [entry.id for entry in found])


@routes.add(
    "POST",
    "/api/team",
    needs(KEY | LOGIN, MANAGERS),
    name="invite",
    status=201,
    errors=(errors.ALREADY_MEMBER,),
)
async def invite(call: Call, body: NewMember) -> Invitation:
    """Invite somebody by mail."""
    return await service.invite(call.tx, call.caller, body)


@routes.add(
    "PATCH",
    "/api/team/{memberId}",
    needs(KEY | LOGIN, MANAGERS),
    name="update",
    errors=(errors.MEMBER_NOT_FOUND, errors.OWNER_ROLE_FIXED),
)
async def change_role(call: Call, member_id: str, body: RoleChange) -> TeamMember:
    """Give a member another role; the owner's never changes here."""
    return await service.change_role(call.tx, call.caller, member_id, body.role)


@routes.add(
    "DELETE",
    "/api/team/{memberId}",
    needs(KEY | LOGIN, MANAGERS),
    name="remove",
    status=204,
    errors=(errors.MEMBER_NOT_FOUND, errors.OWNER_STAYS),
)
async def remove(call: Call, member_id: str) -> None:
    """Remove a member, who loses every access at once; or take back an open invitation."""
    await service.remove(call.tx, call.caller, member_id)


@routes.add(
    "POST",
    "/api/team/invitations/look",
    ANYONE,
    name="look",
    tx=TxMode.NONE,
    errors=(errors.INVITATION_INVALID, errors.CROSS_SITE),
)
async def look(call: Call, body: InvitationToken) -> InvitationSeen:
    """Which team an invitation is to, and whether its address has an account; the token is not used up."""
    call.use(Origins).refuse_cross_site(call.request)
    async with call.database.read() as tx:
        return await service.look(tx, call.use(InvitationTokens), body.token)


@routes.add(
    "POST",
    "/api/team/invitations/accept",
    ANYONE,
    name="accept",
    tx=TxMode.NONE,
    errors=(errors.INVITATION_INVALID, errors.CROSS_SITE),
)
async def accept(call: Call, body: Acceptance) -> TeamMember:
    """Join a team by the token of an invitation, and sign in."""
    call.use(Origins).refuse_cross_site(call.request)
    member, signed_in = await service.accept(
        call.database, call.use(InvitationTokens), call.use(Passwords), body, call.request.origin
    )
    call.use(LoginCookie).set(call, signed_in.token)
    return member
