"""Test users: each has a key and calls the service over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Person:
    """A user with a key, or anonymous without one."""

    http: httpx.AsyncClient
    email: str = ""
    user_id: str = ""
    team_id: str = ""
    member_id: str = ""
    key: str = ""

    async def call(self, method: str, path: str, json: Any = None, **options: Any) -> httpx.Response:
        headers = dict(options.pop("headers", {}))
        if self.key:
            headers.setdefault("Authorization", f"Bearer {self.key}")
        if json is not None:
            options["json"] = json
        return await self.http.request(method, path, headers=headers, **options)

    async def get(self, path: str, **options: Any) -> httpx.Response:
        return await self.call("GET", path, **options)

    async def post(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return await self.call("POST", path, json, **options)

    async def patch(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return await self.call("PATCH", path, json, **options)

    async def delete(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return await self.call("DELETE", path, json, **options)

    async def create_project(self, name: str = "Loremark", **fields: Any) -> str:
        answer = await self.post("/api/projects", {"name": name, **fields})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])
