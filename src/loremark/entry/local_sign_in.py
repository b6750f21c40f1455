"""Sign in to a server on this machine through its database, which only the user who runs the server can open."""

from __future__ import annotations

from loremark.base.caller import OWNER, AuthMethod, Caller
from loremark.base.plans import load_plans
from loremark.base.settings import Settings
from loremark.entry.runtime import database_address
from loremark.features.identity import service as identity
from loremark.features.identity import store as people
from loremark.features.keys import service as keys
from loremark.storage import schema
from loremark.storage.connect import open_database
from loremark.storage.database import Tx
from loremark.wire.keys import NewKey

_CLAIMED_BY = "setup"


async def create_key(settings: Settings, name: str) -> str:
    """An API key for the first owner, who is created on a fresh installation. The server may be running."""
    plans = load_plans(settings.default_plan, settings.plans_file)
    await schema.require_current(database_address(settings))
    database = await open_database(database_address(settings), pool=1)
    try:
        async with database.write() as tx:
            owner = await identity.create_local_owner(tx, plans, _CLAIMED_BY, AuthMethod.OPERATOR)
            if owner is not None:
                await people.assign_setup_links(tx, owner.user_id)
            created = await keys.create_key(tx, owner or await _find_owner(tx), NewKey(name=name))
    finally:
        await database.close()
    return created.key


async def _find_owner(tx: Tx) -> Caller:
    found = await people.find_first_owner(tx)
    if found is None:
        raise ValueError("this server has no owner; create one with: loremark admin create-owner")
    user = await people.get_user(tx, found["id"])
    return Caller(
        user_id=user["id"],
        team_id=found["team_id"],
        role=OWNER,
        auth_method=AuthMethod.OPERATOR,
        credential_id="",
        name=user["name"],
        email=user["email"],
    )
