"""Declares routes next to their handlers and finds the route for a path.

A handler's signature is its contract: ``call`` first, then path parameters by name, ``body`` and ``query`` with their
wire types; the return type is the response. OpenAPI and the tests read the same declarations.
"""

from __future__ import annotations

import enum
import inspect
import re
import typing
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from loremark.base import errors
from loremark.base.errors import ErrorKind
from loremark.web.authentication import Needs

Handler = TypeVar("Handler", bound=Callable[..., Any])

_PARAMETER = re.compile(r"\{(\w+)\}")


class TxMode(enum.Enum):
    """The transaction opened around a handler."""

    READ = "read"
    WRITE = "write"
    NONE = "none"


@dataclass(frozen=True)
class Route:
    """One endpoint."""

    group: str
    name: str
    method: str
    path: str
    needs: Needs
    handler: Callable[..., Any]
    status: int
    tx: TxMode
    unauthorized: ErrorKind
    rate_limited: ErrorKind
    errors: tuple[ErrorKind, ...]
    counted: bool
    cacheable: bool
    content_type: str
    alternate_type: str | None
    in_openapi: bool
    path_parameters: tuple[str, ...]
    body: type[Any] | None
    body_optional: bool
    raw_body: type[Any] | None
    """The type of a body that the handler reads itself."""
    prepare: Callable[[Any], Awaitable[Any]] | None
    query: type[Any] | None
    answer: Any

    @property
    def takes_arguments(self) -> bool:
        return bool(self.path_parameters) or self.body is not None or self.query is not None

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.handler) or self.name).split("\n", 1)[0]


class Routes:
    """The routes of one endpoint group, in the order they are declared."""

    def __init__(
        self,
        group: str,
        *,
        unauthorized: ErrorKind = errors.UNAUTHENTICATED,
        rate_limited: ErrorKind = errors.RATE_LIMITED,
    ) -> None:
        self.group = group
        self._unauthorized = unauthorized
        self._rate_limited = rate_limited
        self._declared: list[Route] = []

    def __iter__(self) -> typing.Iterator[Route]:
        return iter(self._declared)

    def add(
        self,
        method: str,
        path: str,
        needs: Needs,
        *,
        name: str,
        status: int = 200,
        tx: TxMode | None = None,
        errors: tuple[ErrorKind, ...] = (),
        counted: bool = True,
        cacheable: bool = False,
        content_type: str = "application/json",
        alternate_type: str | None = None,
        in_openapi: bool = True,
        raw_body: type[Any] | None = None,
        prepare: Callable[[Any], Awaitable[Any]] | None = None,
    ) -> Callable[[Handler], Handler]:
        """Declare the decorated function as the handler of this method and path.

        ``counted``: whether the global rate limit counts it. ``cacheable``: polled often, and the response depends only
        on the database. ``alternate_type``: another media type the client can request. ``in_openapi``: whether OpenAPI
        lists it; browser pages are not listed. ``raw_body``: the type of a body that the handler reads itself.
        ``prepare``: slow work on the body, done before the transaction opens.
        """
        mode = tx or (TxMode.READ if method == "GET" else TxMode.WRITE)

        def declare(handler: Handler) -> Handler:
            hints = typing.get_type_hints(handler, include_extras=True)
            parameters = inspect.signature(handler).parameters
            body = hints.get("body")
            if mode is TxMode.READ and (body or raw_body):
                raise TypeError(f"{handler.__qualname__} would hold a connection while it receives a body")
            self._declared.append(
                Route(
                    group=self.group,
                    name=f"{self.group}.{name}",
                    method=method,
                    path=path,
                    needs=needs,
                    handler=handler,
                    status=status,
                    tx=mode,
                    unauthorized=self._unauthorized,
                    rate_limited=self._rate_limited,
                    errors=errors,
                    counted=counted,
                    cacheable=cacheable,
                    content_type=content_type,
                    alternate_type=alternate_type,
                    in_openapi=in_openapi,
                    path_parameters=tuple(_snake(found) for found in _PARAMETER.findall(path)),
                    body=body,
                    raw_body=raw_body,
                    prepare=prepare,
                    body_optional=body is not None and not _required_fields(body),
                    query=hints.get("query"),
                    answer=hints["return"],
                )
            )
            unknown = set(parameters) - {"call", "body", "query", *self._declared[-1].path_parameters}
            if unknown:
                raise TypeError(f"{handler.__qualname__} takes {unknown}, which are not in the path")
            return handler

        return declare


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda match: "_" + match[1].lower(), name)


def _required_fields(kind: type[Any]) -> list[str]:
    return [field.name for field in msgspec.structs.fields(kind) if field.required]


_METHODS = "\0"
_ANY = "{}"
_KEPT_PATHS = 4096
_KEPT_PATH_CHARS = 200
_Node = dict[str, Any]
Found = tuple[dict[str, Route], tuple[str, ...]]


class Router:
    """Finds the routes for a path. Literal segments take precedence over parameters."""

    def __init__(self, routes: list[Route]) -> None:
        self._root: _Node = {}
        self._find_kept = lru_cache(maxsize=_KEPT_PATHS)(self._find)
        for route in routes:
            node = self._root
            for segment in route.path[1:].split("/"):
                node = node.setdefault(_ANY if segment.startswith("{") else segment, {})
            methods = node.setdefault(_METHODS, {})
            if route.method in methods:
                raise ValueError(f"{route.method} {route.path} is declared twice")
            methods[route.method] = route

    def find(self, path: str) -> Found | None:
        """Return the routes by method and the values of the path parameters."""
        return self._find_kept(path) if len(path) <= _KEPT_PATH_CHARS else self._find(path)

    def _find(self, path: str) -> Found | None:
        # PostgreSQL rejects NUL in parameters, so replace it: no id contains it, and the lookup returns 404.
        segments = path[1:].replace("\0", "\ufffd").split("/")
        return _walk(self._root, segments, 0, ()) if path.startswith("/") else None


def _walk(node: _Node, segments: list[str], at: int, values: tuple[str, ...]) -> Found | None:
    if at == len(segments):
        methods: dict[str, Route] | None = node.get(_METHODS)
        return (methods, values) if methods else None
    segment = segments[at]
    literal = node.get(segment) if segment != _ANY and segment != _METHODS else None
    if literal is not None:
        found = _walk(literal, segments, at + 1, values)
        if found is not None:
            return found
    if _ANY in node and segment:
        return _walk(node[_ANY], segments, at + 1, (*values, segment))
    return None
