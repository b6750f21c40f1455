"""The email about a disabled webhook."""

from __future__ import annotations

from loremark.base.caller import Scope
from loremark.features.team import store as team
from loremark.features.webhooks import store
from loremark.jobs.run import Run
from loremark.ports.mail.mailer import Mailer
from loremark.storage.database import Database

_TEXT = """Hello,

Loremark disabled your webhook {url} because its last {failures} deliveries failed.

When the endpoint is working again, enable the webhook and redeliver the missed events:
{base_url}/p/{project_id}/webhooks
"""


class DisabledEmail:
    """Tells the team's owner that a webhook was disabled."""

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
            url=webhook["url"].partition("?")[0],
            failures=webhook["consecutive_failures"],
            base_url=self._base_url,
            project_id=webhook["project_id"],
        )
        await self._mailer.send(owner["email"], "A webhook was disabled", text)
