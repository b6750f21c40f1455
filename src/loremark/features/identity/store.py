"""Accounts, logins and sign-in links. These queries identify the caller, so they are not scoped to a team."""

from __future__ import annotations

from sqlalchemy import and_, bindparam, delete, insert, select, update

from loremark.base import clock, ids, limits
from loremark.base.caller import AuthMethod, Caller, Origin, Role
from loremark.base.signing import sha256_hex
from loremark.features.identity.email_address import canonical, email_key
from loremark.storage.database import Row, Tx
from loremark.storage.last_use import Use
from loremark.storage.statements import Sql
from loremark.storage.tables import installation, logins, signin_links, team_members, teams, users

_CLAIM = Sql(lambda new: new(installation).on_conflict_do_nothing(index_elements=["name"]))
_UPDATE_CLAIM = Sql(
    update(installation)
    .where(installation.c.name == bindparam("key"), installation.c.value != bindparam("new_value"))
    .values(value=bindparam("new_value"))
)
_INSERT_USER = Sql(lambda new: new(users).on_conflict_do_nothing(index_elements=["email_key"]))
_INSERT_TEAM = Sql(insert(teams))
_INSERT_MEMBER = Sql(lambda new: new(team_members).on_conflict_do_nothing(index_elements=["team_id", "user_id"]))
_INSERT_LOGIN = Sql(insert(logins))
_INSERT_LINK = Sql(insert(signin_links))

_FIND_USER = Sql(select(users).where(users.c.email_key == bindparam("key")))
_GET_USER = Sql(select(users).where(users.c.id == bindparam("user_id")))
_LOCK_USER = Sql(select(users).where(users.c.id == bindparam("user_id")).with_for_update())
_GET_TEAM = Sql(select(teams).where(teams.c.id == bindparam("team_id")))
_LOCK_TEAM = Sql(select(teams).where(teams.c.id == bindparam("team_id")).with_for_update())
_SET_PASSWORD = Sql(
    update(users)
    .where(users.c.id == bindparam("user_id"), users.c.password_hash.is_not_distinct_from(bindparam("known")))
    .values(password_hash=bindparam("hashed"))
)
_MEMBERSHIPS = Sql(
    select(teams.c.id, teams.c.name, teams.c.plan, team_members.c.role)
    .join(team_members, team_members.c.team_id == teams.c.id)
    .where(team_members.c.user_id == bindparam("user_id"))
    .order_by(team_members.c.id)
)
_FIND_CALLER = Sql(
    select(logins.c.id, logins.c.user_id, logins.c.team_id, team_members.c.role, users.c.name, users.c.email)
    .join(users, users.c.id == logins.c.user_id)
    .join(
        team_members,
        and_(team_members.c.team_id == logins.c.team_id, team_members.c.user_id == logins.c.user_id),
    )
    .where(logins.c.token_hash == bindparam("hashed"), logins.c.expires_at_ms > bindparam("now_ms"))
)
_VALID = and_(logins.c.user_id == bindparam("of_user"), logins.c.expires_at_ms > bindparam("now_ms"))
_LIST_LOGINS = Sql(
    select(logins, teams.c.name.label("team_name"))
    .join(teams, teams.c.id == logins.c.team_id)
    .where(_VALID)
    .order_by(logins.c.id.desc())
    .limit(limits.LOGINS_SHOWN)
)
_FIND_LOGIN = Sql(select(logins.c.id).where(_VALID, logins.c.id == bindparam("login_id")))
_RECORD_USE = Sql(
    update(logins)
    .where(
        logins.c.id == bindparam("login_id"),
        (logins.c.last_used_ms.is_(None)) | (logins.c.last_used_ms < bindparam("used_ms")),
    )
    .values(last_used_ms=bindparam("used_ms"), address=bindparam("used_from"))
)
_DELETE_LOGIN = Sql(delete(logins).where(logins.c.id == bindparam("login_id")))
_DELETE_OTHER_LOGINS = Sql(
    delete(logins).where(logins.c.user_id == bindparam("of_user"), logins.c.id != bindparam("keep"))
)
_DELETE_EXPIRED = Sql(
    delete(logins).where(logins.c.user_id == bindparam("of_user"), logins.c.expires_at_ms <= bindparam("now_ms"))
)
_FIRST_OWNER = Sql(
    select(users.c.id, users.c.email, team_members.c.team_id)
    .join(team_members, team_members.c.user_id == users.c.id)
    .where(team_members.c.role == "owner")
    .order_by(team_members.c.id)
    .limit(1)
)
_CONSUME_LINK = Sql(
    update(signin_links)
    .where(
        signin_links.c.token_hash == bindparam("hashed"),
        signin_links.c.used_at_ms.is_(None),
        signin_links.c.expires_at_ms > bindparam("now_ms"),
    )
    .values(used_at_ms=bindparam("now_ms"))
    .returning(signin_links.c.id, signin_links.c.user_id)
)
_FIND_LINK = Sql(select(signin_links).where(signin_links.c.token_hash == bindparam("hashed")))
_INVALIDATE_SETUP_LINKS = Sql(
    update(signin_links)
    .where(signin_links.c.used_at_ms.is_(None), signin_links.c.user_id.is_(None))
    .values(used_at_ms=bindparam("now_ms"))
)
_ASSIGN_SETUP_LINKS = Sql(
    update(signin_links)
    .where(signin_links.c.used_at_ms.is_(None), signin_links.c.user_id.is_(None))
    .values(user_id=bindparam("of_user"))
)
_INVALIDATE_LINKS = Sql(
    update(signin_links)
    .where(signin_links.c.used_at_ms.is_(None), signin_links.c.user_id == bindparam("of_user"))
    .values(used_at_ms=bindparam("now_ms"))
)
_GET_INSTALLATION = Sql(select(installation.c.value).where(installation.c.name == bindparam("key")))


async def claim(tx: Tx, name: str, value: str) -> bool:
    """Set a write-once value of the installation. Returns False if it was already set."""
    return await tx.run(_CLAIM, name=name, value=value) == 1


async def update_claim(tx: Tx, name: str, value: str) -> bool:
    """Set a value of the installation. Returns True if it replaced a different value."""
    if await claim(tx, name, value):
        return False
    return await tx.run(_UPDATE_CLAIM, key=name, new_value=value) == 1


async def find_claim(tx: Tx, name: str) -> str | None:
    row = await tx.one(_GET_INSTALLATION, key=name)
    return None if row is None else str(row["value"])


async def find_user(tx: Tx, email: str) -> Row | None:
    return await tx.one(_FIND_USER, key=email_key(email))


async def get_user(tx: Tx, user_id: str) -> Row:
    row = await tx.one(_GET_USER, user_id=user_id)
    assert row is not None
    return row


async def lock_user(tx: Tx, user_id: str) -> Row:
    """Get the account and lock its row, so that its password cannot change before this transaction ends."""
    row = await tx.one(_LOCK_USER, user_id=user_id)
    assert row is not None
    return row


async def create_user(tx: Tx, *, email: str, name: str, password_hash: str | None) -> str | None:
    """Create an account and return its id, or None if the email address is taken."""
    user_id = ids.new("usr")
    created = await tx.run(
        _INSERT_USER,
        id=user_id,
        email=canonical(email),
        email_key=email_key(email),
        name=name.strip(),
        password_hash=password_hash,
        created_at_ms=clock.now_ms(),
    )
    return user_id if created else None


async def set_password(tx: Tx, user_id: str, known: str | None, password_hash: str) -> bool:
    """Set the password. Returns False if the stored hash is no longer ``known``."""
    return await tx.run(_SET_PASSWORD, user_id=user_id, known=known, hashed=password_hash) == 1


async def create_team(tx: Tx, name: str, plan: str) -> str:
    team_id = ids.new("team")
    await tx.run(_INSERT_TEAM, id=team_id, name=name.strip(), plan=plan, seats=1, created_at_ms=clock.now_ms())
    return team_id


async def get_team(tx: Tx, team_id: str) -> Row:
    row = await tx.one(_GET_TEAM, team_id=team_id)
    assert row is not None
    return row


async def lock_team(tx: Tx, team_id: str) -> Row:
    """Get the team and lock its row, so that counts checked against its plan stay exact."""
    row = await tx.one(_LOCK_TEAM, team_id=team_id)
    assert row is not None
    return row


async def add_member(tx: Tx, *, team_id: str, user_id: str, role: Role) -> str | None:
    """Add a member and return the membership's id, or None if the user is already a member."""
    member_id = ids.new("mem")
    created = await tx.run(
        _INSERT_MEMBER, id=member_id, team_id=team_id, user_id=user_id, role=role, joined_at_ms=clock.now_ms()
    )
    return member_id if created else None


async def list_memberships(tx: Tx, user_id: str) -> list[Row]:
    """List a user's teams in the order they were joined."""
    return await tx.many(_MEMBERSHIPS, user_id=user_id)


async def create_login(tx: Tx, *, user_id: str, team_id: str, origin: Origin) -> str:
    """Create a browser login and return the cookie token. Only its hash is stored."""
    now_ms = clock.now_ms()
    token = ids.token()
    await tx.run(_DELETE_EXPIRED, of_user=user_id, now_ms=now_ms)
    await tx.run(
        _INSERT_LOGIN,
        id=ids.new("log"),
        user_id=user_id,
        team_id=team_id,
        token_hash=sha256_hex(token),
        created_at_ms=now_ms,
        expires_at_ms=now_ms + limits.LOGIN_VALID_MS,
        user_agent=origin.user_agent[: limits.USER_AGENT_CHARS],
        address=origin.address,
        last_used_ms=now_ms,
    )
    return token


async def list_logins(tx: Tx, user_id: str) -> list[Row]:
    """List a user's valid logins in all teams, newest first."""
    return await tx.many(_LIST_LOGINS, of_user=user_id, now_ms=clock.now_ms())


async def find_login(tx: Tx, user_id: str, login_id: str) -> Row | None:
    return await tx.one(_FIND_LOGIN, of_user=user_id, login_id=login_id, now_ms=clock.now_ms())


async def record_use(tx: Tx, login_id: str, use: Use) -> None:
    await tx.run(_RECORD_USE, login_id=login_id, used_ms=use.at_ms, used_from=use.address)


async def find_by_login(tx: Tx, token: str) -> Caller | None:
    """Find the caller that a cookie token belongs to."""
    row = await tx.one(_FIND_CALLER, hashed=sha256_hex(token), now_ms=clock.now_ms())
    if row is None:
        return None
    return Caller(
        user_id=row["user_id"],
        team_id=row["team_id"],
        role=row["role"],
        auth_method=AuthMethod.LOGIN,
        credential_id=row["id"],
        name=row["name"],
        email=row["email"],
    )


async def delete_login(tx: Tx, login_id: str) -> None:
    await tx.run(_DELETE_LOGIN, login_id=login_id)


async def delete_other_logins(tx: Tx, user_id: str, *, keep: str) -> int:
    """Delete all logins of a user but one, and return how many there were."""
    return await tx.run(_DELETE_OTHER_LOGINS, of_user=user_id, keep=keep)


async def find_first_owner(tx: Tx) -> Row | None:
    return await tx.one(_FIRST_OWNER)


async def create_link(tx: Tx, user_id: str | None) -> str:
    """Create a one-time sign-in link and return its token. Without a user it creates the first owner when used."""
    token = ids.token()
    now_ms = clock.now_ms()
    await tx.run(
        _INSERT_LINK,
        id=ids.new("lnk"),
        token_hash=sha256_hex(token),
        user_id=user_id,
        created_at_ms=now_ms,
        expires_at_ms=now_ms + limits.SIGNIN_LINK_VALID_MS,
        used_at_ms=None,
    )
    return token


async def consume_link(tx: Tx, token: str) -> Row | None:
    """Mark the link as used and return it; None if it is unknown, used or expired."""
    return await tx.one(_CONSUME_LINK, hashed=sha256_hex(token), now_ms=clock.now_ms())


async def find_link(tx: Tx, token: str) -> Row | None:
    return await tx.one(_FIND_LINK, hashed=sha256_hex(token))


async def assign_setup_links(tx: Tx, user_id: str) -> None:
    """Let first-run links that are still unused sign in to this account."""
    await tx.run(_ASSIGN_SETUP_LINKS, of_user=user_id)


async def invalidate_setup_links(tx: Tx) -> None:
    """Invalidate first-run links once an account exists."""
    await tx.run(_INVALIDATE_SETUP_LINKS, now_ms=clock.now_ms())


async def invalidate_links(tx: Tx, user_id: str) -> None:
    """Invalidate a user's sign-in links."""
    await tx.run(_INVALIDATE_LINKS, of_user=user_id, now_ms=clock.now_ms())
