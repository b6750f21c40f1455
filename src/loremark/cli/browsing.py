"""Signing in with the browser: whoever is signed in to the server there allows this command line a key.

The key comes sealed to this process alone: by a link to a port that we listen on, or pasted where the browser runs
on another machine.
"""

from __future__ import annotations

import http.server
import os
import re
import select
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from urllib.parse import parse_qs, urlencode, urlsplit

from loremark.base import clock
from loremark.base.letters import NotOurs, Reader
from loremark.base.signing import sha256_hex
from loremark.cli import page
from loremark.cli.kit import Stop

_SECONDS = 300.0
_MOST_CHARS = 2_000
_THANKS = b"Signed in. You can close this page and go back to the terminal.\n"
_REFUSED = b"This is not for the command line that waits here.\n"


def sign_in(url: str, open_page: Callable[[str], object] = webbrowser.open, seconds: float = _SECONDS) -> str:
    """The key that was allowed."""
    reader = Reader()
    given, handed = os.pipe()
    waiting = _listen(reader, handed)
    try:
        asked = urlencode({"key": reader.address, "name": _name(), "port": waiting.server_address[1]})
        mark = sha256_hex(reader.address)[:8].upper()
        page.note(f"Allow this in the browser, where it must show {mark[:4]}-{mark[4:]}:\n  {url}/connect?{asked}")
        if sys.stdin.isatty():
            page.note("Is the browser on another machine? Paste what it shows here.")
        open_page(f"{url}/connect?{asked}")
        return _wait(reader, given, seconds)
    finally:
        waiting.shutdown()
        waiting.server_close()
        os.close(given)
        os.close(handed)


def _name() -> str:
    return re.sub(r"[^A-Za-z0-9 ._-]", "-", socket.gethostname())[:60] or "here"


def _listen(reader: Reader, handed: int) -> http.server.HTTPServer:
    """Take the letter from the browser of this machine; what is no letter to us is refused, and we go on waiting."""

    class Door(http.server.BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            letters = parse_qs(urlsplit(self.path).query).get("letter", [""])
            try:
                key = reader.open(letters[0][:_MOST_CHARS])
            except NotOurs:
                self._answer(400, _REFUSED)
                return
            self._answer(200, _THANKS)
            os.write(handed, key.encode()[:_MOST_CHARS] + b"\n")

        def _answer(self, status: int, text: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Door)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    return server


def _wait(reader: Reader, given: int, seconds: float) -> str:
    sources: list[int] = [given, *([sys.stdin.fileno()] if sys.stdin.isatty() else [])]
    until = clock.monotonic() + seconds
    while (left := until - clock.monotonic()) > 0:
        ready = select.select(sources, [], [], left)[0]
        if given in ready:
            return os.read(given, _MOST_CHARS).decode().strip()
        if ready:
            line = sys.stdin.readline(_MOST_CHARS)
            if not line:
                sources.remove(sys.stdin.fileno())
            elif line.strip():
                try:
                    return reader.open(line.strip())
                except NotOurs:
                    page.note("That is not what the browser shows; try again.")
    raise Stop("nobody allowed it in time; try again, or give a key with --key")
