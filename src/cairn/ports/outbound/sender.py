"""Posting to an address a user has named."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import httpx

from cairn.ports.outbound.guard import Destination, Guard, OutboundRefused, Unresolved

_TIMEOUT_S = 30.0
_ANSWER_BYTES = 64 * 1024


@dataclass(frozen=True)
class Answer:
    """What came of a call: a status, or the reason why there is none."""

    status: int | None
    error: str | None = None

    @property
    def succeeded(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


class Sender(Protocol):
    """Delivers a body; never raises for what the other side does."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer: ...

    async def close(self) -> None: ...


class HttpsSender:
    """HTTPS to the very address that was checked, under the name that was given; no redirects, no proxies."""

    def __init__(self, guard: Guard, *, ca_file: str = "", timeout_s: float = _TIMEOUT_S) -> None:
        self._guard = guard
        self._timeout_s = timeout_s
        context = ssl.create_default_context()
        if ca_file:
            context.load_verify_locations(ca_file)
        self._http = httpx.AsyncClient(
            verify=context,
            timeout=timeout_s,
            follow_redirects=False,
            trust_env=False,
            limits=httpx.Limits(max_connections=100, max_keepalive_connections=0),
        )

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        try:
            destination = await self._guard.resolve(url)
        except (OutboundRefused, Unresolved) as error:
            return Answer(None, str(error))
        try:
            return await self._post(destination, body, headers)
        except httpx.TimeoutException:
            return Answer(None, f"no answer within {self._timeout_s:g} seconds")
        except (httpx.HTTPError, ssl.SSLError, OSError) as error:
            return Answer(None, f"the call failed: {error}")

    async def _post(self, to: Destination, body: bytes, headers: Mapping[str, str]) -> Answer:
        import asyncio

        shown = f"[{to.address}]" if to.address.version == 6 else str(to.address)
        name = f"[{to.host}]" if ":" in to.host else to.host
        host = name if to.port == 443 else f"{name}:{to.port}"
        request = self._http.build_request(
            "POST",
            f"https://{shown}:{to.port}{to.target}",
            content=body,
            headers={**headers, "Host": host, "Accept-Encoding": "identity"},
            extensions={"sni_hostname": to.host},
        )
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._http.send(request, stream=True)
                try:
                    await _read_some(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            return Answer(None, f"no answer within {self._timeout_s:g} seconds")
        if response.is_redirect:
            return Answer(response.status_code, "redirects are not followed")
        return Answer(response.status_code, None if response.is_success else f"answered {response.status_code}")

    async def close(self) -> None:
        await self._http.aclose()


async def _read_some(response: httpx.Response) -> None:
    """Let the other side finish, up to a bound; what it says is not kept."""
    size = 0
    async for piece in response.aiter_raw():
        size += len(piece)
        if size > _ANSWER_BYTES:
            return
