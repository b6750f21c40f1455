"""Who belongs to the team, and how people come and go."""

from __future__ import annotations

from cairn.base import clock, errors
from cairn.base.caller import Caller, Origin, Role, Scope, Via
from cairn.base.passwords import Passwords
from cairn.features.audit import store as audit
from cairn.features.identity import service as identity
from cairn.features.identity import store as people
from cairn.features.identity.service import SignedIn
from cairn.features.team import store
from cairn.features.team.tokens import InvitationTokens
from cairn.jobs import outbox, queue
from cairn.jobs.notices import tell_access_changed, tell_changed
from cairn.storage.database import Database, Row, Tx
from cairn.wire.events import WebhookEvent
from cairn.wire.team import Acceptance, Invitation, InvitationSeen, NewMember, TeamMember

INVITATION_MAIL = "team.invitation_mail"


def member_shape(row: Row) -> TeamMember:
    return TeamMember(
        id=row["id"],
        user_id=row["user_id"],
        name=row["name"],
        email=row["email"],
        role=row["role"],
        joined_at=clock.iso(row["joined_at_ms"]),
    )


def invitation_shape(row: Row) -> Invitation:
    return Invitation(
        id=row["id"],
        email=row["email"],
        role=row["project_role"] or row["role"],
        status="invited",
        invited_at=clock.iso(row["invited_at_ms"]),
    )


async def invite(
    tx: Tx,
    caller: Caller,
    wanted: NewMember,
    *,
    project_id: str | None = None,
    project_role: Role | None = None,
) -> Invitation:
    """Invite an address to the team (and, when bound to one, to a project); the mail goes out after the commit."""
    key = people.email_key(wanted.email)
    if await store.find_member_by_email(tx, caller.scope, key) is not None:
        raise errors.ALREADY_MEMBER()
    invitation = await store.invite(
        tx,
        caller,
        email=wanted.email,
        email_key=key,
        role="member" if project_id else wanted.role,
        project_id=project_id,
        project_role=project_role,
    )
    await queue.enqueue(tx, INVITATION_MAIL, {"invitationId": invitation["id"]}, team_id=caller.team_id)
    await audit.record(
        tx,
        caller,
        "team.invited",
        invitation["id"],
        project_id=project_id,
        email=wanted.email,
        role=wanted.role,
    )
    tell_changed(tx, caller.team_id, "team")
    return invitation_shape(invitation)


async def get_member(tx: Tx, scope: Scope, member_id: str) -> Row:
    member = await store.find_member(tx, scope, member_id)
    if member is None:
        raise errors.MEMBER_NOT_FOUND()
    return member


async def change_role(tx: Tx, caller: Caller, member_id: str, role: Role) -> TeamMember:
    member = await get_member(tx, caller.scope, member_id)
    if member["role"] == "owner":
        raise errors.OWNER_ROLE_FIXED()
    await store.update_role(tx, caller.scope, member_id, role)
    await audit.record(tx, caller, "team.role_changed", member_id, email=member["email"], role=role)
    tell_access_changed(tx, member["user_id"])
    tell_changed(tx, caller.team_id, "team")
    return member_shape(await get_member(tx, caller.scope, member_id))


async def remove(tx: Tx, caller: Caller, member_id: str) -> None:
    """Remove a member, or take back an open invitation. Every access of a member ends with this commit."""
    if await store.revoke_invitation(tx, caller.scope, member_id):
        await audit.record(tx, caller, "team.invitation_revoked", member_id)
        tell_changed(tx, caller.team_id, "team")
        return
    member = await get_member(tx, caller.scope, member_id)
    if member["role"] == "owner":
        raise errors.OWNER_STAYS()
    owner = await store.find_owner(tx, caller.scope)
    assert owner is not None
    left, joined = await store.delete_member(tx, caller.scope, member, owner)
    for project_id in joined:
        await tell_added(tx, caller.scope, project_id, owner, "owner")
    for membership in left:
        await tell_removed(tx, caller.scope, membership["project_id"], member, membership["role"])
    await audit.record(tx, caller, "team.member_removed", member_id, email=member["email"])
    tell_access_changed(tx, member["user_id"])
    tell_changed(tx, caller.team_id, "team")


async def tell_added(tx: Tx, scope: Scope, project_id: str, person: Row, role: Role) -> None:
    """Webhooks of a project hear who has joined it."""
    await _tell(tx, scope, WebhookEvent.MEMBER_ADDED, project_id, person, role)


async def tell_removed(tx: Tx, scope: Scope, project_id: str, person: Row, role: Role) -> None:
    """Webhooks of a project hear who has left it, and what they were there."""
    await _tell(tx, scope, WebhookEvent.MEMBER_REMOVED, project_id, person, role)


async def _tell(tx: Tx, scope: Scope, event: WebhookEvent, project_id: str, person: Row, role: Role) -> None:
    data = {"userId": person["user_id"], "email": person["email"], "role": role}
    await outbox.emit(tx, scope, event, project_id, data)


async def look(tx: Tx, tokens: InvitationTokens, token: str) -> InvitationSeen:
    """What the link in the mail leads to; nothing is told without one that works."""
    invitation = await _open_invitation(tx, tokens, token)
    team = await people.get_team(tx, invitation["team_id"])
    return InvitationSeen(
        team_name=team["name"],
        email=invitation["email"],
        has_account=await people.find_user(tx, invitation["email"]) is not None,
        expires_at=clock.iso(invitation["expires_at_ms"]),
    )


async def accept(
    database: Database, tokens: InvitationTokens, passwords: Passwords, given: Acceptance, origin: Origin
) -> tuple[TeamMember, SignedIn]:
    """Join by the link in the mail: a new account is made where the address has none. Signs in at once."""
    async with database.read() as tx:
        await _open_invitation(tx, tokens, given.token)
    hashed = await passwords.hash(given.password) if given.password else None
    async with database.write() as tx:
        invitation = await _open_invitation(tx, tokens, given.token)
        user_id, name = await _account_for(tx, invitation, given, hashed)
        scope = Scope(invitation["team_id"])
        await people.add_member(tx, team_id=scope, user_id=user_id, role=invitation["role"])
        if not await store.accept_invitation(tx, invitation["id"]):
            raise errors.INVITATION_INVALID()
        member = await store.find_member_by_user(tx, scope, user_id)
        assert member is not None
        caller = Caller(
            user_id=user_id,
            team_id=scope,
            role=member["role"],
            via=Via.LOGIN,
            credential_id="",
            name=name,
            email=invitation["email"],
            address=origin.address,
            request_id=origin.request_id,
        )
        role: Role = invitation["project_role"] or "member"
        if invitation["project_id"] and await store.add_to_project(tx, scope, invitation, user_id, role):
            await tell_added(tx, scope, invitation["project_id"], member, role)
        await audit.record(tx, caller, "team.joined", member["id"], project_id=invitation["project_id"])
        tell_changed(tx, scope, "team", invitation["project_id"])
        return member_shape(member), await identity.sign_in(tx, caller)


async def _open_invitation(tx: Tx, tokens: InvitationTokens, token: str) -> Row:
    invitation = await store.find_invitation(tx, tokens.named_in(token))
    if (
        invitation is None
        or invitation["status"] != "invited"
        or invitation["expires_at_ms"] <= clock.now_ms()
        or not tokens.matches(token, invitation)
    ):
        raise errors.INVITATION_INVALID()
    return invitation


async def _account_for(tx: Tx, invitation: Row, given: Acceptance, password_hash: str | None) -> tuple[str, str]:
    """The account of the invited address: the one there is, or a new one."""
    user = await people.find_user(tx, invitation["email"])
    if user is not None:
        return user["id"], user["name"]
    if password_hash is None:
        raise errors.invalid("password is required")
    name = given.name or invitation["email"].partition("@")[0]
    user_id = await people.create_user(tx, email=invitation["email"], name=name, password_hash=password_hash)
    assert user_id is not None
    return user_id, name
