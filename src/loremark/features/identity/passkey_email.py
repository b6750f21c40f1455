"""Tells people that a passkey was added to their account: whoever knows a password can add one."""

from __future__ import annotations

from loremark.features.identity import store
from loremark.jobs.run import Run
from loremark.ports.mail.mailer import Mailer
from loremark.storage.database import Database

_TEXT = """Hello,

a passkey was added to your Loremark account. It signs in without your password, also after you change that.

If you did not add it, remove it on your account page and change your password:
{link}
"""


class PasskeyEmail:
    def __init__(self, database: Database, mailer: Mailer, base_url: str) -> None:
        self._database = database
        self._mailer = mailer
        self._base_url = base_url

    async def __call__(self, run: Run) -> None:
        async with self._database.read() as tx:
            user = await store.get_user(tx, run.payload["userId"])
        await self._mailer.send(
            user["email"], "A passkey was added to your account", _TEXT.format(link=f"{self._base_url}/account")
        )
