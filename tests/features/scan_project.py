"""A project with a repository on a real git server, and the Genesis requests."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import select

from loremark.base.settings import Settings
from loremark.storage.database import Row
from tests.features.memory_project import Memory
from tests.servers.git import Commit, GitServer, add_commits, make_repository
from tests.servers.https import Authority
from tests.support.service import Service, settings_for

REPOSITORY = "o/shop"
ROUTES = b'''"""The shop's HTTP API."""

from fastapi import FastAPI

from shop.models import Order
from shop.money import total

app = FastAPI()


@app.get("/orders/{order_id}")
def show_order(order_id: int) -> Order:
    return Order(order_id)


@app.post("/orders")
def create_order(order: Order) -> int:
    return total(order)
'''
MODELS = b'''"""What the shop keeps."""

from sqlalchemy import Column, ForeignKey, Integer, String
from sqlalchemy.orm import declarative_base

Base = declarative_base()


class Customer(Base):
    __tablename__ = "customers"
    id = Column(Integer, primary_key=True)
    email = Column(String)


class Order(Base):
    __tablename__ = "orders"
    id = Column(Integer, primary_key=True)
    customer_id = Column(ForeignKey("customers.id"))
'''
MONEY = b'''"""Amounts are integer cents."""

from shop.models import Order


def total(order: Order) -> int:
    return 0
'''
MAIN = b'''"""Starts the shop."""

import uvicorn

from shop.api import app

if __name__ == "__main__":
    uvicorn.run(app)
'''
README = b"""# Shop

[![build](https://example.com/badge.svg)](https://example.com)

Shop sells stones to builders of loremarks. It keeps orders and customers, and sends invoices by mail.

## Running
`python -m shop`
"""
PYPROJECT = b"""[project]
name = "shop"
version = "1.2.0"
description = "Sells stones to builders of loremarks."
requires-python = ">=3.11"
dependencies = ["fastapi>=0.110", "sqlalchemy>=2.0", "uvicorn"]

[project.scripts]
shop = "shop.__main__:main"

[tool.ruff]
line-length = 100
"""
TESTS = b"""from shop.money import total


def test_total() -> None:
    assert total(None) == 0
"""
FILES: dict[bytes, bytes] = {
    b"README.md": README,
    b"pyproject.toml": PYPROJECT,
    b"shop/__init__.py": b"",
    b"shop/__main__.py": MAIN,
    b"shop/api.py": ROUTES,
    b"shop/models.py": MODELS,
    b"shop/money.py": MONEY,
    b"tests/test_money.py": TESTS,
    b"assets/logo.png": b"\x89PNG\r\n\x1a\n\0\0\0\0",
}
PLANTED = b'import subprocess\n\n\ndef run(command: str) -> None:\n    subprocess.run("sh -c " + command, shell=True)\n'


def serve_shop(server: GitServer, *more: Commit) -> list[str]:
    """Create the repository with its first commit, and optionally more."""
    make_repository(server.root / REPOSITORY, [])
    return add_commits(server.root / REPOSITORY, [Commit(b"feat: the shop opens", FILES), *more])


class ScanProject(Memory):
    """A project to scan, accessed by its owner and by signed requests."""

    async def call(self, method: str, name: str, body: dict[str, Any] | None = None) -> httpx.Response:
        path = f"/api/v2/genesis/{name}"
        raw = json.dumps(body).encode() if body is not None else b""
        if body is None:
            path += f"?projectId={self.tool.project_id}"
        return await self.service.http.request(method, path, content=raw, headers=self.tool.headers(raw))

    async def start(self, **fields: Any) -> httpx.Response:
        return await self.call("POST", "start", {"projectId": self.tool.project_id, **fields})

    async def cancel(self) -> httpx.Response:
        return await self.call("POST", "cancel", {"projectId": self.tool.project_id})

    async def status(self) -> dict[str, Any]:
        answer = await self.call("GET", "status")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()["scan"]
        return found

    async def results(self) -> dict[str, Any]:
        answer = await self.call("GET", "results")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def wait(self, seconds: float = 60.0) -> dict[str, Any]:
        """Wait until the scan has ended and return it."""
        async with asyncio.timeout(seconds):
            while True:
                scan = await self.status()
                if scan["completedAt"] is not None:
                    return scan
                await asyncio.sleep(0.03)

    async def scan(self, **fields: Any) -> dict[str, Any]:
        """Start a scan and wait for its end."""
        started = await self.start(**fields)
        assert started.status_code == 202, started.text
        return await self.wait()


async def create_scan_project(service: Service, url: str, **project: Any) -> ScanProject:
    created = await ScanProject.of(service, repoUrl=url, **project)
    assert isinstance(created, ScanProject)
    return created


def scan_settings(server: GitServer, authority: Authority, database_url: str, folder: Path, **changes: str) -> Settings:
    """Settings that allow the git server on loopback, without a scan rate limit."""
    overrides = {
        "LOREMARK_OUTBOUND_ALLOW": "127.0.0.0/8",
        "LOREMARK_CA_FILE": str(authority.ca_file),
        "LOREMARK_REPO_HOSTS": f"127.0.0.1:{server.port}",
        "LOREMARK_CACHE_DIR": str(folder / "cache"),
        "LOREMARK_ROUTE_LIMITS": "genesis.start=0",
    }
    return settings_for(folder, database_url, **overrides, **changes)


async def rows_of(service: Service, table: Any) -> list[Row]:
    """All rows of a table."""
    async with service.runtime.database.read() as tx:
        return await tx.many(select(table))
