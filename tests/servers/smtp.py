"""A real SMTP server in a thread of this process that keeps the messages it receives."""

import asyncio
import email
import email.policy
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import quote

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

REFUSED = "451 4.3.0 Try again later"
NOT_AUTHENTICATED = "530 5.7.0 Authentication required"


@dataclass(frozen=True)
class Received:
    """A message and its envelope."""

    sender: str
    recipients: tuple[str, ...]
    message: EmailMessage


class SmtpServer:
    """Listens on a free loopback port until `stop`; can be used as a context manager."""

    def __init__(self, user: str | None = None, password: str = "") -> None:
        self._credentials = None if user is None else (user, password)
        self._received: list[Received] = []
        self._refusals = 0
        self._changed = threading.Condition()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._controller = _Controller(self._listener, _Handler(self))
        self._controller.start()

    def __enter__(self) -> "SmtpServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The URL, with user and password if the server requires them."""
        login = ""
        if self._credentials is not None:
            login = ":".join(quote(part, safe="") for part in self._credentials) + "@"
        return f"smtp://{login}127.0.0.1:{self._controller.port}"

    @property
    def messages(self) -> list[Received]:
        """All messages accepted so far, as a copy."""
        with self._changed:
            return list(self._received)

    def clear(self) -> None:
        """Forgets all messages and pending refusals."""
        with self._changed:
            self._received.clear()
            self._refusals = 0

    def refuse_next(self, count: int) -> None:
        """Rejects the next messages with a temporary error (451)."""
        with self._changed:
            self._refusals = count

    def wait_for(self, predicate: Callable[[Received], bool], timeout: float = 60.0) -> Received:
        """Blocks until a message matches and returns it; async tests use `asyncio.to_thread`."""
        with self._changed:
            found = self._changed.wait_for(lambda: next(filter(predicate, self._received), None), timeout)
            if found is None:
                subjects = [str(received.message["subject"]) for received in self._received]
                raise TimeoutError(f"No matching message within {timeout} s; received subjects: {subjects}")
            return found

    def stop(self) -> None:
        """Closes all connections and the port."""
        self._controller.stop()
        self._listener.close()

    def accepts_login(self, user: bytes, password: bytes) -> bool:
        """Whether these are the right credentials."""
        return self._credentials is not None and (user, password) == tuple(part.encode() for part in self._credentials)

    @property
    def requires_login(self) -> bool:
        """Whether senders have to authenticate first."""
        return self._credentials is not None

    def keep(self, received: Received) -> bool:
        """Keeps a message, unless a refusal is pending."""
        with self._changed:
            if self._refusals > 0:
                self._refusals -= 1
                return False
            self._received.append(received)
            self._changed.notify_all()
            return True


class _Handler:
    """The hooks that aiosmtpd calls, in its thread."""

    def __init__(self, owner: SmtpServer) -> None:
        self._owner = owner

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        # aiosmtpd's own auth_required warns about missing TLS, and warnings are errors here.
        if self._owner.requires_login and not session.authenticated:
            return NOT_AUTHENTICATED
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content if isinstance(envelope.content, bytes) else b""
        message = email.message_from_bytes(content, policy=email.policy.default)
        received = Received(envelope.mail_from or "", tuple(envelope.rcpt_tos), message)
        return "250 OK" if self._owner.keep(received) else REFUSED

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object
    ) -> AuthResult:
        """Checks the credentials of a PLAIN or LOGIN request."""
        known = isinstance(data, LoginPassword) and self._owner.accepts_login(data.login, data.password)
        return AuthResult(success=known, handled=False)


class _Controller(Controller):
    """Serves on a socket that already listens, so that no other process can take the port."""

    def __init__(self, listener: socket.socket, handler: _Handler) -> None:
        self._listener = listener
        self._connections: list[SMTP] = []
        super().__init__(
            handler,
            hostname="127.0.0.1",
            port=listener.getsockname()[1],
            server_hostname="localhost",
            auth_require_tls=False,
            authenticator=handler.authenticate,
            ready_timeout=30.0,
        )

    def factory(self) -> SMTP:
        connection = SMTP(self.handler, **self.SMTP_kwargs)
        self._connections.append(connection)
        return connection

    async def _create_server(self) -> asyncio.AbstractServer:
        return await self.loop.create_server(self._factory_invoker, sock=self._listener)

    def stop(self, no_assert: bool = False) -> None:
        # Since Python 3.12, a server waits for its connections, so an idle client would block the shutdown.
        self.loop.call_soon_threadsafe(self._close_connections)
        super().stop(no_assert)

    def _close_connections(self) -> None:
        for connection in self._connections:
            if connection.transport is not None:
                connection.transport.close()
        self._connections.clear()
