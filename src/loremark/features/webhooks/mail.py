"""The mail that says a webhook was switched off."""

from __future__ import annotations

from loremark.base.caller import Scope
from loremark.features.team import store as team
from loremark.features.webhooks import store
from loremark.jobs.run import Run
from loremark.ports.mail.mailer import Mailer
from loremark.storage.database import Database

_TEXT = """Hello,

the webhook to {url} could not be reached: its last {failures} deliveries failed for good, so it was disabled.

When the receiver works again, switch the webhook on (status "active") and redeliver what it missed:
{base_url}
"""


class DisabledMail:
    """Tells the team's owner."""

    def __init__(self, database: Database, mailer: Mailer, base_url: str) -> None:
        self._database = database
        self._mailer = mailer
        self._base_url = base_url

    async def __call__(self, run: Run) -> None:
        scope = Scope(run.job.team_id or "")
        async with self._database.read() as tx:
            webhook = await store.find_webhook(tx, scope, run.payload["webhookId"])
            owner = await team.find_owner(tx, scope)
        if webhook is None or owner is None or webhook["status"] != "disabled":
            return
        text = _TEXT.format(
            url=webhook["url"].partition("?")[0], failures=webhook["failures_in_a_row"], base_url=self._base_url
        )
        await self._mailer.send(owner["email"], "A webhook was disabled", text)
