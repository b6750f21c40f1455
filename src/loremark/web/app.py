"""The ASGI application: routing, authentication, transactions, errors and responses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any

from msgspec import structs

from loremark.base import clock, errors, ids, limits, log
from loremark.base.caller import Caller
from loremark.base.errors import Refusal
from loremark.storage.database import Database, StorageUnavailable, Tx
from loremark.web.allowed_hosts import AllowedHosts
from loremark.web.authentication import Authenticators, authenticate
from loremark.web.call import Call, Services
from loremark.web.client_address import TrustedProxies, bucket
from loremark.web.metrics import Metrics
from loremark.web.rate_limits import Decision, RateLimits
from loremark.web.request import Receive, Request, Scope, Send
from loremark.web.response import CommonHeaders, Headers, Response, Stream, encode_json, refusal_response
from loremark.web.response_cache import ResponseCache, cache_key
from loremark.web.routes import Found, Route, Router, TxMode
from loremark.web.sign_in_redirect import redirect_to_sign_in
from loremark.web.validation import read_json, read_query

PARENT_REQUEST_ID = "loremark.within"
"""ASGI scope key for an in-process request: the id of the outer request, which was already rate limited."""
_MACHINE_PATH = re.compile(r"/(?:api|worker|mcp|assets|\.well-known)(?:/|$)")
_PROBES = frozenset(("/healthz", "/readyz"))
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_log = log.logger("web")


class App:
    """An ASGI application made of routes."""

    def __init__(
        self,
        routes: list[Route],
        *,
        database: Database,
        authenticators: Authenticators,
        limits: RateLimits,
        proxies: TrustedProxies,
        services: Services,
        metrics: Metrics,
        https: bool,
        challenges: Mapping[str, str] | None = None,
        not_found_page: Callable[[], Response] | None = None,
        hosts: AllowedHosts | None = None,
    ) -> None:
        """``challenges``: WWW-Authenticate by route group. ``not_found_page``: shown to browsers on unknown paths."""
        self.routes = routes
        self._router = Router(routes)
        self._database = database
        self._authenticators = authenticators
        self._limits = limits
        self._proxies = proxies
        self._services = services
        self._metrics = metrics
        self._common = CommonHeaders(https=https)
        self._closing = asyncio.Event()
        self._cache = ResponseCache()
        self._challenges = challenges or {}
        self._not_found_page = not_found_page
        self._hosts = hosts

    def close(self) -> None:
        """End open streams, so shutdown does not wait for them."""
        self._closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        started = clock.monotonic()
        request = Request(scope, receive)
        given = request.headers.get(b"x-request-id")
        outer: str | None = scope.get(PARENT_REQUEST_ID)
        request.request_id = outer or (given.decode() if given and _REQUEST_ID.fullmatch(given) else ids.serial("req"))
        self._proxies.set_client(request, scope)
        found = self._router.find(request.path)
        route = _route_of(found, request.method)
        decision: Decision | None = None
        try:
            if outer is None and (route is None or route.counted):
                decision = await self._limits.hit_global(bucket(request.address))
                _refuse_over_limit(decision, route)
            if outer is None and self._hosts is not None and not (_is_probe(route) or self._hosts.allow(request)):
                raise errors.UNKNOWN_HOST()
            if route is None:
                raise _no_route(found)
            values = found[1] if found else ()
            answer = self._answer_cached if route.cacheable else self._answer
            response = await answer(route, values, request)
        except Refusal as refusal:
            response = self._refused(refusal, route, request)
        except StorageUnavailable as error:
            _log.error("storage unavailable", request_id=request.request_id, error=str(error))
            response = refusal_response(errors.UNAVAILABLE({"Retry-After": "5"}))
        except Exception:
            _log.exception("unhandled exception", request_id=request.request_id, path=request.path)
            response = refusal_response(errors.INTERNAL())
        if response.status >= 300:
            await request.drain()  # clients may miss a response sent before they finished sending
        await self._send(request, response, decision, send)
        self._metrics.observe(route.name if route else "unknown", request.method, response.status, started)

    def _refused(self, refusal: Refusal, route: Route | None, request: Request) -> Response:
        """Return the error response: a sign-in redirect or challenge for 401, a page for browsers on 404."""
        if refusal.status == 401 and route is not None:
            if route.needs.is_page:
                return redirect_to_sign_in(request)
            if route.group in self._challenges:
                refusal.headers["WWW-Authenticate"] = self._challenges[route.group]
        if refusal.status == 404 and self._not_found_page is not None and _is_page_navigation(request):
            return self._not_found_page()
        return refusal_response(refusal)

    async def _answer_cached(self, route: Route, values: tuple[str, ...], request: Request) -> Response | Stream:
        """Like ``_answer``, but reuses the last response if nothing was committed since."""
        state = self._database.data_version()
        if state is None:
            return await self._answer(route, values, request)
        key = cache_key(request)
        known = self._cache.find(key, state)
        if known is not None:
            return known
        response = await self._answer(route, values, request)
        self._cache.store(key, state, response)
        return response

    async def _answer(self, route: Route, values: tuple[str, ...], request: Request) -> Response | Stream:
        """Authenticate, read the body, run the handler in its transaction, encode the result.

        A credential may be revoked while a slow body arrives. Writers are therefore authenticated again: in the write
        transaction if we open it, else before the handler. Lookups that need their own connection never run inside a
        transaction, because that would take a second connection.
        """
        call = Call(request, self._database, self._services, self._limits)
        if route.tx is TxMode.READ:
            signer = await self._early_caller(route, request) if route.needs.by_signature else None
            async with self._database.read() as tx:
                caller = signer or await self._caller(route, request, tx)
                result = await self._handle(route, call, caller, tx, values)
        else:
            caller = await self._early_caller(route, request)
            arguments = await self._arguments(route, request, values) if route.takes_arguments else {}
            if route.tx is TxMode.WRITE:
                if route.needs.by_signature:
                    caller = await self._early_caller(route, request)
                async with self._database.write() as tx:
                    call.enter(await self._caller_now(route, request, tx, caller), tx)
                    result = await route.handler(call, **arguments)
            else:
                call.enter(caller, None, lambda tx: self._caller_now(route, request, tx, caller))
                if route.body is not None:
                    await call.recheck_caller()
                result = await route.handler(call, **arguments)
        return _as_response(route, call, result)

    async def _early_caller(self, route: Route, request: Request) -> Caller | None:
        """Return the caller before the handler's transaction exists."""
        needs = route.needs
        if needs.by_ticket:
            return None
        if needs.by_signature:
            return await self._authenticators.verify_signature(self._database, request, needs.by_quick_signature)
        async with self._database.read() as tx:
            return await self._caller(route, request, tx)

    async def _caller(self, route: Route, request: Request, tx: Tx) -> Caller | None:
        if route.needs.credentials is None:
            return None
        caller = await authenticate(request, tx, route.needs, self._authenticators, route.unauthorized)
        if route.tx is TxMode.READ:
            return caller  # reads are not audited, so they need no address
        return structs.replace(caller, address=request.address, request_id=request.request_id)

    async def _caller_now(self, route: Route, request: Request, tx: Tx, known: Caller | None) -> Caller | None:
        """Authenticate again in this transaction. Signatures and tickets are verified elsewhere."""
        if route.needs.by_ticket or route.needs.by_signature:
            return known
        return await self._caller(route, request, tx)

    async def _handle(self, route: Route, call: Call, caller: Caller | None, tx: Tx, values: tuple[str, ...]) -> Any:
        call.enter(caller, tx)
        return await route.handler(call, **await self._arguments(route, call.request, values))

    async def _arguments(self, route: Route, request: Request, values: tuple[str, ...]) -> dict[str, Any]:
        arguments: dict[str, Any] = dict(zip(route.path_parameters, values, strict=True))
        if route.query is not None:
            arguments["query"] = read_query(request, route.query)
        if route.body is not None:
            is_open = route.needs.credentials is None
            raw = await request.read_body(limits.OPEN_BODY_BYTES if is_open else limits.BODY_BYTES)
            body = read_json(request, raw, route.body, optional=route.body_optional)
            arguments["body"] = body if route.prepare is None else await route.prepare(body)
        return arguments

    async def _send(self, request: Request, response: Response | Stream, decision: Decision | None, send: Send) -> None:
        headers = self._common.of(response)
        headers.append((b"x-request-id", request.request_id.encode()))
        if decision is not None:
            headers += _limit_headers(decision)
        if isinstance(response, Stream) and request.method != "HEAD":
            await self._send_stream(request, response, headers, send)
            return
        body = b"" if isinstance(response, Stream) else response.body
        if response.status != 304 and response.status != 204:
            headers.append((b"content-type", response.content_type))
            headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if request.method == "HEAD" else body})

    async def _send_stream(self, request: Request, response: Stream, headers: Headers, send: Send) -> None:
        """Send pieces as they are produced, until the client disconnects or the server stops."""
        headers.append((b"content-type", response.content_type))
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        sending = asyncio.ensure_future(_send_pieces(response, send))
        ends = [asyncio.ensure_future(end) for end in (request.wait_for_disconnect(), self._closing.wait())]
        try:
            await asyncio.wait((sending, *ends), timeout=response.max_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, *ends):
                task.cancel()
            fault, *_ = await asyncio.gather(sending, *ends, return_exceptions=True)
            if isinstance(fault, Exception):
                _log.error("stream failed", request_id=request.request_id, exc_info=fault)


async def _send_pieces(response: Stream, send: Send) -> None:
    async with aclosing(response.pieces) as pieces:
        async for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.sleep(0)  # let other tasks run and notice a disconnect
    await send({"type": "http.response.body", "body": b""})


def _route_of(found: Found | None, method: str) -> Route | None:
    if found is None:
        return None
    return found[0].get("GET" if method == "HEAD" else method)


def _is_probe(route: Route | None) -> bool:
    """Return whether this is a health check, which load balancers send to any host name. It reveals nothing."""
    return route is not None and route.path in _PROBES


def _is_page_navigation(request: Request) -> bool:
    """Return whether a browser opens this path as a page, outside the API paths."""
    if request.method not in ("GET", "HEAD") or _MACHINE_PATH.match(request.path):
        return False
    return "text/html" in (request.header(b"accept") or "")


def _no_route(found: Found | None) -> Refusal:
    if found is None:
        return errors.NOT_FOUND()
    allowed = sorted(found[0]) + (["HEAD"] if "GET" in found[0] else [])
    return errors.METHOD_NOT_ALLOWED({"Allow": ", ".join(allowed)})


def _refuse_over_limit(decision: Decision | None, route: Route | None) -> None:
    if decision is not None and not decision.allowed:
        kind = route.rate_limited if route else errors.RATE_LIMITED
        raise kind({"Retry-After": str(decision.retry_after_s)}, seconds=decision.retry_after_s)


def _limit_headers(decision: Decision) -> Headers:
    return [
        (b"x-ratelimit-limit", b"%d" % decision.limit),
        (b"x-ratelimit-remaining", b"%d" % decision.remaining),
        (b"x-ratelimit-reset", b"%d" % decision.reset_at_s),
    ]


def _as_response(route: Route, call: Call, result: Any) -> Response | Stream:
    if isinstance(result, Response | Stream):
        result.headers += call.response_headers
        return result
    body = b"" if result is None else encode_json(result)
    return Response(route.status, body, headers=call.response_headers)
