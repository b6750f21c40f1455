"""Sends email."""

from __future__ import annotations

import asyncio
import os
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import aiosmtplib

from loremark.base import clock, ids

_SMTP_SECONDS = 20.0
_WHOLE_LINES = policy.default.clone(max_line_length=990)
"""The maximum line length, because a wrapped URL cannot be copied from a file."""


class MailError(Exception):
    """The server did not accept the message; retrying may help."""


class Mailer(Protocol):
    """Accepts a message durably or raises ``MailError``."""

    async def send(self, to: str, subject: str, text: str) -> None: ...


def _message(sender: str, to: str, subject: str, text: str) -> EmailMessage:
    message = EmailMessage(policy=_WHOLE_LINES)
    message["From"] = sender
    local, _, domain = to.rpartition("@")
    message["To"] = Address(username=local, domain=domain)
    message["Subject"] = " ".join(subject.split())
    message["Message-ID"] = make_msgid(domain="loremark.invalid")
    message["Date"] = clock.rfc2822(clock.now_ms())
    message.set_content(text)
    return message


class FileMailer:
    """Writes each message to a file, for local use and tests."""

    def __init__(self, folder: Path, sender: str) -> None:
        self._folder = folder
        self._sender = sender

    async def send(self, to: str, subject: str, text: str) -> None:
        content = _message(self._sender, to, subject, text).as_bytes()
        await asyncio.to_thread(self._write, content)

    def _write(self, content: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = ids.new("mail")
        unfinished = self._folder / f".{name}.part"
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(self._folder / f"{name}.eml")


class SmtpMailer:
    """Sends by SMTP, with STARTTLS if the server offers it."""

    def __init__(self, url: str, sender: str) -> None:
        parts = urlsplit(url)
        self._host = parts.hostname or "127.0.0.1"
        self._tls = parts.scheme == "smtps"
        self._port = parts.port or (465 if self._tls else 587)
        self._user = unquote(parts.username) if parts.username else None
        self._password = unquote(parts.password) if parts.password else None
        self._sender = sender

    async def send(self, to: str, subject: str, text: str) -> None:
        try:
            await aiosmtplib.send(
                _message(self._sender, to, subject, text),
                hostname=self._host,
                port=self._port,
                username=self._user,
                password=self._password,
                use_tls=self._tls,
                timeout=_SMTP_SECONDS,
            )
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise MailError(f"the mail server did not accept the message: {error}") from error


def open_mailer(url: str, sender: str) -> Mailer:
    """Open a mailer for ``file://folder`` or ``smtp[s]://user:pass@host:port``."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return FileMailer(Path(url2pathname(parts.path)), sender)
    if parts.scheme in ("smtp", "smtps"):
        return SmtpMailer(url, sender)
    raise ValueError("LOREMARK_MAIL_URL must begin with file://, smtp:// or smtps://")
