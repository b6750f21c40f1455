"""/api/team: members and invitations."""

from __future__ import annotations

from typing import Literal

from loremark.base import errors
from loremark.base.caller import MANAGERS
from loremark.base.passwords import Passwords
from loremark.features.identity.cookies import LoginCookie
from loremark.features.identity.login_limits import check_password_limit
from loremark.features.team import invitations, service, store
from loremark.features.team.departures import DepartureSteps
from loremark.features.team.invitation_limits import check_invitation_limit
from loremark.features.team.tokens import InvitationTokens
from loremark.web.authentication import ANYONE, KEY, LOGIN, Origins, cookie, needs
from loremark.web.call import Call
from loremark.web.paging import Page, cut
from loremark.web.routes import Routes, TxMode
from loremark.wire.team import (
    Invitation,
    InvitationAcceptance,
    InvitationPreview,
    InvitationToken,
    NewMember,
    RoleChange,
    TeamMember,
)

routes = Routes("team")


class TeamQuery(Page, frozen=True):
    include: Literal["invited"] | None = None


@routes.add("GET", "/api/team", needs(KEY | LOGIN, "read"), name="list", errors=(errors.FORBIDDEN,))
async def list_team(call: Call, query: TeamQuery) -> list[TeamMember | Invitation]:
    """List team members, oldest first. With ``include=invited``, pending invitations follow."""
    if call.caller.only_project is not None:
        raise errors.FORBIDDEN()
    in_invitations = query.include == "invited" and (query.cursor or "").startswith("inv_")
    found: list[TeamMember | Invitation] = []
    if not in_invitations:
        rows = await store.list_members(call.tx, call.caller.scope, after=query.cursor, take=query.take)
        found += [service.member_shape(row) for row in rows]
    if query.include == "invited" and len(found) < query.take:
        after = query.cursor if in_invitations and query.cursor else ""
        pending = await invitations.list_open(call.tx, call.caller.scope, after=after, take=query.take - len(found))
        found += [service.invitation_shape(row, service.team_role(row)) for row in pending]
    return cut(call, query, found, [entry.id for entry in found])


@routes.add(
    "POST",
    "/api/team",
    needs(KEY | LOGIN, "admin", roles=MANAGERS),
    name="invite",
    status=201,
    tx=TxMode.NONE,
    errors=(errors.ALREADY_MEMBER, errors.INVITATION_LIMIT),
)
async def invite(call: Call, body: NewMember) -> Invitation:
    """Invite someone to the team by email."""
    await check_invitation_limit(call, body.email)
    async with call.write() as tx:
        return await service.invite(tx, call.caller, body)


@routes.add(
    "PATCH",
    "/api/team/{memberId}",
    needs(KEY | LOGIN, "admin", roles=MANAGERS),
    name="update",
    errors=(errors.MEMBER_NOT_FOUND, errors.OWNER_ROLE_FIXED),
)
async def change_role(call: Call, member_id: str, body: RoleChange) -> TeamMember:
    """Change a member's role. The owner's role cannot be changed."""
    return await service.change_role(call.tx, call.caller, member_id, body.role, call.use(DepartureSteps))


@routes.add(
    "DELETE",
    "/api/team/{memberId}",
    needs(KEY | LOGIN, "admin", roles=MANAGERS),
    name="remove",
    status=204,
    errors=(errors.MEMBER_NOT_FOUND, errors.OWNER_NOT_REMOVABLE),
)
async def remove(call: Call, member_id: str) -> None:
    """Remove a member, ending all their access immediately, or revoke a pending invitation."""
    await service.remove(call.tx, call.caller, member_id, call.use(DepartureSteps))


@routes.add(
    "POST",
    "/api/team/invitations/preview",
    ANYONE,
    name="preview",
    tx=TxMode.NONE,
    errors=(errors.INVITATION_INVALID, errors.CROSS_SITE),
)
async def preview_invitation(call: Call, body: InvitationToken) -> InvitationPreview:
    """Show the team an invitation is for, without accepting it."""
    call.use(Origins).refuse_cross_site(call.request)
    async with call.database.read() as tx:
        return await service.preview_invitation(tx, call.use(InvitationTokens), body.token, _login(call))


@routes.add(
    "POST",
    "/api/team/invitations/accept",
    ANYONE,
    name="accept",
    tx=TxMode.NONE,
    errors=(errors.INVITATION_INVALID, errors.SIGN_IN_TO_ACCEPT, errors.WRONG_PASSWORD, errors.CROSS_SITE),
)
async def accept(call: Call, body: InvitationAcceptance) -> TeamMember:
    """Accept an invitation and sign in. An existing account must be signed in or give its password."""
    call.use(Origins).refuse_cross_site(call.request)
    tokens = call.use(InvitationTokens)
    if body.password is not None:
        async with call.database.read() as tx:
            address = await service.invited_address(tx, tokens, body.token)
        await check_password_limit(call, address)
    member, signed_in = await service.accept(
        call.database, tokens, call.use(Passwords), body, call.request.origin, _login(call)
    )
    call.use(LoginCookie).set(call, signed_in.token)
    return member


def _login(call: Call) -> str | None:
    return cookie(call.request, call.use(LoginCookie).name)
