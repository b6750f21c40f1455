"""``loremark login --browser``: get an API key from a signed-in browser.

The key is encrypted to this process. The browser delivers it to a local port, or the user pastes it if the browser runs
on another machine. Who knows the public key could deliver a key of their own, so nobody but the user must see the
page's address.
"""

from __future__ import annotations

import http.server
import os
import re
import select
import socket
import sys
import threading
from collections.abc import Callable
from urllib.parse import parse_qs, urlencode, urlsplit

from loremark.base import clock
from loremark.base.sealed_box import Recipient, SealedBoxError
from loremark.base.signing import sha256_hex
from loremark.cli import output
from loremark.cli.browser_page import open_link
from loremark.cli.framework import CommandError

_TIMEOUT_S = 300.0
_MAX_CHARS = 2_000
_SIGNED_IN = b"Signed in. You can close this page and return to the terminal.\n"
_REJECTED = b"This sign-in was started in another terminal. Run loremark login --browser again.\n"


def sign_in(url: str, open_page: Callable[[str], object] = open_link, timeout_s: float = _TIMEOUT_S) -> str:
    """Wait for the user to allow access, and return the API key."""
    recipient = Recipient()
    read_fd, write_fd = os.pipe()
    server = _listen(recipient, write_fd)
    try:
        query = urlencode({"key": recipient.public_key, "name": _name(), "port": server.server_address[1]})
        code = sha256_hex(recipient.public_key)[:8].upper()
        output.note(f"Open this page and check that it shows the code {code[:4]}-{code[4:]}:\n  {url}/connect?{query}")
        if sys.stdin.isatty():
            output.note("If the browser runs on another machine, allow access there and paste the sign-in code here.")
        open_page(f"{url}/connect?{query}")
        return _wait(recipient, read_fd, timeout_s)
    finally:
        server.shutdown()
        server.server_close()
        os.close(read_fd)
        os.close(write_fd)


def _name() -> str:
    return re.sub(r"[^A-Za-z0-9 ._-]", "-", socket.gethostname())[:60] or "here"


def _listen(recipient: Recipient, write_fd: int) -> http.server.HTTPServer:
    """Accept the encrypted key from a browser on this machine. Anything else is rejected, and we keep waiting."""

    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            letters = parse_qs(urlsplit(self.path).query).get("letter", [""])
            try:
                key = recipient.open(letters[0][:_MAX_CHARS])
            except SealedBoxError:
                self._respond(400, _REJECTED)
                return
            self._respond(200, _SIGNED_IN)
            os.write(write_fd, key.encode()[:_MAX_CHARS] + b"\n")

        def _respond(self, status: int, text: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    return server


def _wait(recipient: Recipient, read_fd: int, timeout_s: float) -> str:
    sources: list[int] = [read_fd, *([sys.stdin.fileno()] if sys.stdin.isatty() else [])]
    deadline = clock.monotonic() + timeout_s
    while (left := deadline - clock.monotonic()) > 0:
        ready = select.select(sources, [], [], left)[0]
        if read_fd in ready:
            return os.read(read_fd, _MAX_CHARS).decode().strip()
        if ready:
            line = sys.stdin.readline(_MAX_CHARS)
            if not line:
                sources.remove(sys.stdin.fileno())
            elif line.strip():
                try:
                    return recipient.open(line.strip())
                except SealedBoxError:
                    output.note("That is not the sign-in code from the browser. Try again.")
    raise CommandError("timed out waiting for the browser; try again, or pass an API key with --key")
