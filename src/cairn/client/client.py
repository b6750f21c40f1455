"""A client of the API for Python."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
import msgspec

from cairn.base import clock, signing
from cairn.wire.contexts import Populated
from cairn.wire.identity import Me
from cairn.wire.keys import KeyCreated, NewKey
from cairn.wire.projects import HmacSecret, NewProject, ProjectCreated, ProjectEntry
from cairn.wire.sessions import Enriching, Ingested
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
        return self._send(method, path, answer, msgspec.json.encode(body) if body is not None else None, {})

    def _send(self, method: str, path: str, answer: type[T], body: bytes | None, headers: dict[str, str]) -> T:
        kind = {"Content-Type": "application/json"} if body is not None else {}
        try:
            response = self._http.request(method, path, content=body, headers={**kind, **headers})
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

    def hmac_secret(self, project_id: str) -> str:
        return self._call("GET", f"/api/projects/{project_id}/hmac-secret", HmacSecret).secret

    def send_event(self, project_id: str, secret: str, event: str, payload: dict[str, Any]) -> Ingested:
        """A captured event, signed with the project's secret."""
        body = msgspec.json.encode({"event": event, "payload": payload})
        timestamp = str(clock.now_ms() // 1000)
        signed = {
            "X-Service-Project": project_id,
            "X-Service-Timestamp": timestamp,
            "X-Service-Signature": signing.sign_request(secret, timestamp, body),
        }
        return self._send("POST", "/api/v2/ingest", Ingested, body, signed)

    def enrich(self, session_id: str) -> Enriching:
        return self._call("POST", f"/api/v2/sessions/{session_id}/enrich", Enriching)

    def populate(self, project_id: str, nodes: list[dict[str, Any]], source: str) -> Populated:
        body = msgspec.json.encode({"projectId": project_id, "nodes": nodes, "source": source})
        return self._send("POST", "/api/contexts/populate", Populated, body, {})

    def create_key(self, name: str) -> KeyCreated:
        return self._call("POST", "/api/keys", KeyCreated, NewKey(name=name))


def _error_text(response: httpx.Response) -> str:
    try:
        return msgspec.json.decode(response.content, type=ErrorShape).error
    except msgspec.DecodeError:
        return f"the server answered {response.status_code}"
