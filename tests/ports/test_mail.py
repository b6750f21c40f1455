"""Mail: one file per message, or an SMTP server that may require a login or refuse temporarily."""

from __future__ import annotations

import asyncio
import email
import email.policy
from collections.abc import Iterator
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
import structlog
from sqlalchemy import select

from loremark.base import clock, log
from loremark.features.team import service as team
from loremark.jobs import runner
from loremark.ports.mail.mailer import MailError, open_mailer
from loremark.storage.tables import jobs
from tests.servers.smtp import SmtpServer
from tests.support import databases
from tests.support.processes import free_port
from tests.support.service import run_service, settings_for

pytestmark = pytest.mark.anyio

_SENDER = "Loremark <loremark@example.com>"
_TEXT = "Grüße aus Köln!\n\nA line that starts with a dot:\n.\nThe end, with a long line: " + "x" * 2_000 + "\n"


def _parse(path: Path) -> EmailMessage:
    return email.message_from_bytes(path.read_bytes(), policy=email.policy.default)


def _text(message: EmailMessage) -> str:
    body = message.get_body()
    assert body is not None
    return str(body.get_content())


async def test_file_mailer_writes_one_complete_message_per_mail(tmp_path: Path) -> None:
    folder = tmp_path / "outgoing mail"
    mailer = open_mailer(folder.as_uri(), _SENDER)
    await mailer.send("ada@example.com", "Grüße", _TEXT)
    await mailer.send("bob@example.com", "Second", "text")
    assert sorted(path.suffix for path in folder.iterdir()) == [".eml", ".eml"]
    first, second = map(_parse, sorted(folder.iterdir()))
    assert (first["To"], first["From"], first["Subject"]) == ("ada@example.com", _SENDER, "Grüße")
    assert _text(first) == _TEXT
    assert first["Message-ID"] != second["Message-ID"]
    sent_ms = parsedate_to_datetime(str(first["Date"])).timestamp() * 1000
    assert abs(clock.now_ms() - sent_ms) < clock.MINUTE_MS
    assert first.defects == []


async def test_link_can_be_copied_from_the_file(tmp_path: Path) -> None:
    link = f"http://127.0.0.1:8000/invitation?token=inv_{'aB3-' * 60}&next=/"
    await open_mailer(tmp_path.as_uri(), _SENDER).send("ada@example.com", "Join us", f"Open this:\n\n{link}\n")
    (file,) = tmp_path.iterdir()
    assert link in file.read_text()


async def test_subject_cannot_inject_a_recipient(tmp_path: Path) -> None:
    mailer = open_mailer(tmp_path.as_uri(), _SENDER)
    await mailer.send("ada@example.com", "Hello\r\nBcc: eve@example.com\r\n\r\nBody of Eve", "text")
    (path,) = tmp_path.glob("*.eml")
    message = _parse(path)
    assert message["Bcc"] is None
    assert message["Subject"] == "Hello Bcc: eve@example.com Body of Eve"
    assert _text(message) == "text\n"


async def test_smtp_with_login() -> None:
    with SmtpServer("post@office", "p@ss:wörd/?") as server:
        await open_mailer(server.url, _SENDER).send("ada@example.com", "Grüße", _TEXT)
        (received,) = server.messages
    assert (received.sender, received.recipients) == ("loremark@example.com", ("ada@example.com",))
    assert (received.message["Subject"], received.message["To"]) == ("Grüße", "ada@example.com")
    assert _text(received.message).replace("\r\n", "\n") == _TEXT


async def test_smtp_without_login() -> None:
    with SmtpServer() as server:
        await open_mailer(server.url, _SENDER).send("ada@example.com", "Hello", "text")
        assert [received.message["Subject"] for received in server.messages] == ["Hello"]


async def test_every_refusal_is_a_mail_error() -> None:
    with SmtpServer("user", "right") as server:
        server.refuse_next(1)
        mailer = open_mailer(server.url, _SENDER)
        with pytest.raises(MailError, match="Try again later"):
            await mailer.send("ada@example.com", "Hello", "text")
        for url in (server.url.replace("right", "wrong"), server.url.replace("user:right@", "")):
            with pytest.raises(MailError):
                await open_mailer(url, _SENDER).send("ada@example.com", "Hello", "text")
        assert server.messages == []
        await mailer.send("ada@example.com", "Hello", "text")
        assert len(server.messages) == 1
    with pytest.raises(MailError):
        await open_mailer(f"smtp://127.0.0.1:{free_port()}", _SENDER).send("ada@example.com", "Hello", "text")


def test_unsupported_mail_url_is_refused() -> None:
    with pytest.raises(ValueError, match="LOREMARK_MAIL_URL"):
        open_mailer("https://mail.example.com", _SENDER)


@pytest.fixture
def quiet() -> Iterator[None]:
    """Log failures on one line, because rendering the long form takes seconds."""
    before = structlog.get_config()
    log.configure("error", "json")
    yield
    structlog.configure(**before)


@pytest.mark.usefixtures("quiet")
async def test_invitation_is_retried_until_the_mail_server_accepts_it(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_FIRST_RETRY_MS", 50)
    monkeypatch.setattr(runner, "_POLL_S", 0.05)
    with SmtpServer("loremark", "secret") as server:
        server.refuse_next(2)
        settings = settings_for(tmp_path, databases.fresh(engine, tmp_path), LOREMARK_MAIL_URL=server.url)
        async with run_service(settings) as service:
            owner = await service.owner("Stones & Söhne")
            invited = await owner.post("/api/team", {"email": "bob@example.com"})
            assert invited.status_code == 201
            received = await asyncio.to_thread(server.wait_for, lambda mail: "bob@example.com" in mail.recipients, 30)
            await service.wait_for_jobs()
            async with service.runtime.database.read() as tx:
                rows = await tx.many(select(jobs.c.status, jobs.c.attempt).where(jobs.c.kind == team.INVITATION_EMAIL))
        assert [(row["status"], row["attempt"]) for row in rows] == [("completed", 3)]
        assert len(server.messages) == 1
        assert received.message["Subject"] == "Olga Owner invited you to join Stones & Söhne on Loremark"
        assert "/invitation?token=" in _text(received.message)
