"""Posts to user-supplied URLs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import httpx

from loremark.ports.outbound.certificates import load_certificates
from loremark.ports.outbound.failures import reason
from loremark.ports.outbound.guard import Destination, Guard, OutboundRefused, Unresolved
from loremark.ports.outbound.ip_ranges import IpAddress

_TIMEOUT_S = 30.0
_ANSWER_BYTES = 64 * 1024


@dataclass(frozen=True)
class Answer:
    """The outcome of a request: a status, or our own error message."""

    status: int | None
    error: str | None = None

    @property
    def succeeded(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


class Sender(Protocol):
    """Posts a body; never raises for remote failures."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer: ...

    async def close(self) -> None: ...


class HttpsSender:
    """Connects to the checked addresses with the original host name; no redirects, no proxies."""

    def __init__(self, guard: Guard, *, ca_file: str = "", timeout_s: float = _TIMEOUT_S) -> None:
        self._guard = guard
        self._timeout_s = timeout_s
        self._http = httpx.AsyncClient(
            verify=load_certificates(ca_file),
            follow_redirects=False,
            trust_env=False,
            limits=httpx.Limits(max_connections=100, max_keepalive_connections=0),
        )

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send one request. Once the status has arrived it counts, even if reading the body fails."""
        status: int | None = None
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._send(await self._guard.resolve(url), body, headers)
                try:
                    status = response.status_code
                    await _read_some(response)
                finally:
                    await response.aclose()
        except (OutboundRefused, Unresolved) as error:
            return Answer(None, str(error))
        except (httpx.HTTPError, OSError) as error:
            if status is None:
                return Answer(None, reason(error, self._timeout_s))
        assert status is not None
        return Answer(status, _objection(status))

    async def _send(self, to: Destination, body: bytes, headers: Mapping[str, str]) -> httpx.Response:
        """Try the addresses in order; if none connects, raise the first error."""
        failed: httpx.TransportError | None = None
        for address in to.addresses:
            try:
                return await self._http.send(self._request(to, address, body, headers), stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                failed = failed or error
        assert failed is not None
        raise failed

    def _request(self, to: Destination, address: IpAddress, body: bytes, headers: Mapping[str, str]) -> httpx.Request:
        shown = f"[{address}]" if address.version == 6 else str(address)
        name = f"[{to.host}]" if ":" in to.host else to.host
        host = name if to.port == 443 else f"{name}:{to.port}"
        connect_s = self._timeout_s / (len(to.addresses) + 1)  # leave time for the response
        return self._http.build_request(
            "POST",
            f"https://{shown}:{to.port}{to.target}",
            content=body,
            headers={**headers, "Host": host, "Accept-Encoding": "identity"},
            extensions={"sni_hostname": to.host},
            timeout=httpx.Timeout(self._timeout_s, connect=connect_s),
        )

    async def close(self) -> None:
        await self._http.aclose()


def _objection(status: int) -> str | None:
    if 200 <= status < 300:
        return None
    return "redirects are not followed" if 300 <= status < 400 else f"responded with status {status}"


async def _read_some(response: httpx.Response) -> None:
    """Read and discard the body, up to a limit."""
    size = 0
    async for piece in response.aiter_raw():
        size += len(piece)
        if size > _ANSWER_BYTES:
            return
