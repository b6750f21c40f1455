"""A client of the API for Python."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
import msgspec

from cairn.wire.identity import Me
from cairn.wire.keys import KeyCreated, NewKey
from cairn.wire.projects import NewProject, ProjectCreated, ProjectEntry
from cairn.wire.shapes import ErrorShape

T = TypeVar("T")

_SECONDS = 30.0


class ApiError(Exception):
    """The server refused, or could not be reached (status 0)."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Client:
    """One connection to one server, with one key."""

    def __init__(self, base_url: str, key: str) -> None:
        self._http = httpx.Client(
            base_url=base_url.rstrip("/"), headers={"Authorization": f"Bearer {key}"}, timeout=_SECONDS
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def _call(self, method: str, path: str, answer: type[T], body: msgspec.Struct | None = None) -> T:
        content: dict[str, Any] = {}
        if body is not None:
            content = {"content": msgspec.json.encode(body), "headers": {"Content-Type": "application/json"}}
        try:
            response = self._http.request(method, path, **content)
        except httpx.HTTPError as error:
            raise ApiError(0, f"{self._http.base_url} cannot be reached: {error}") from error
        if response.is_success:
            try:
                return msgspec.json.decode(response.content, type=answer)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise ApiError(response.status_code, f"{self._http.base_url} does not answer like Cairn") from error
        raise ApiError(response.status_code, _error_text(response))

    def me(self) -> Me:
        return self._call("GET", "/api/auth/me", Me)

    def list_projects(self) -> list[ProjectEntry]:
        return self._call("GET", "/api/projects", list[ProjectEntry])

    def create_project(self, name: str, description: str = "") -> ProjectCreated:
        return self._call("POST", "/api/projects", ProjectCreated, NewProject(name=name, description=description))

    def create_key(self, name: str) -> KeyCreated:
        return self._call("POST", "/api/keys", KeyCreated, NewKey(name=name))


def _error_text(response: httpx.Response) -> str:
    try:
        return msgspec.json.decode(response.content, type=ErrorShape).error
    except msgspec.DecodeError:
        return f"the server answered {response.status_code}"
