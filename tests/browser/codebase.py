"""A sample codebase on a real git server, for Genesis scans."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from tests.browser.site import User
from tests.features.scan_project import PLANTED
from tests.servers.git import Commit, GitServer, make_repository
from tests.servers.https import Authority

PATH = "stonemasons/checkout"
_LONGEST_WAIT_S = 30.0


class PausableGitServer(GitServer):
    """A git server whose responses can be paused, to observe a running scan."""

    def __init__(self, authority: Authority, root: Path) -> None:
        self.gate = threading.Event()
        self.gate.set()
        super().__init__(authority, root)

    def __enter__(self) -> PausableGitServer:
        return self

    def accepts(self, authorization: str | None) -> bool:
        self.gate.wait(_LONGEST_WAIT_S)
        return super().accepts(authorization)

    @property
    def settings(self) -> dict[str, str]:
        """Settings a Loremark server needs to read from this host."""
        return {"LOREMARK_REPO_HOSTS": f"127.0.0.1:{self.port}"}


# Module: (docstring, imports).
_MODULES: dict[str, tuple[str, str]] = {
    "core/config": ("Settings from the environment.", ""),
    "core/clock": ("The only place that asks for the time.", ""),
    "core/errors": ("Errors with a status and a sentence.", ""),
    "core/ids": ("Ids that sort by age.", "core/clock"),
    "core/log": ("Log lines as JSON.", "core/config core/clock"),
    "core/database": ("Connections to PostgreSQL.", "core/config core/log core/errors"),
    "core/events": ("An outbox for what others are told.", "core/database core/ids core/clock"),
    "checkout/money": ("Amounts in the smallest unit of a currency.", "core/errors"),
    "checkout/discounts": ("Vouchers and their rules.", "checkout/money core/clock"),
    "checkout/tax": ("Tax by country.", "checkout/money core/config"),
    "checkout/shipping": ("What it costs to send a parcel.", "checkout/money"),
    "checkout/totals": ("Sums are Decimal and rounded once.", "checkout/money checkout/discounts checkout/tax"),
    "checkout/service": (
        "Turns a basket into an order.",
        "checkout/totals checkout/shipping basket/stock basket/store orders/store payments/service core/events",
    ),
    "basket/models": ("A basket and its lines.", "checkout/money core/ids"),
    "basket/store": ("Baskets in the database.", "basket/models core/database"),
    "basket/stock": ("Stock is locked before it is taken.", "core/database core/errors"),
    "basket/expiry": ("Gives stock back after a while.", "basket/store basket/stock core/clock core/log"),
    "orders/tables": ("Tables of orders.", "core/database"),
    "orders/models": ("An order and its states.", "checkout/money core/ids"),
    "orders/store": ("Orders in the database.", "orders/tables orders/models core/database core/errors"),
    "orders/retention": ("Orders are kept for seven years.", "orders/store core/clock core/log"),
    "payments/models": ("A payment and a refund.", "checkout/money core/ids"),
    "payments/provider": ("Talks to the payment provider.", "payments/models core/config core/errors core/log"),
    "payments/retry": ("Asks again with the same key.", "payments/provider core/clock"),
    "payments/refunds": ("Refunds are written down first.", "payments/models payments/retry orders/store core/events"),
    "payments/service": ("Pays for an order.", "payments/retry payments/models core/events"),
    "mail/templates": ("Texts of mails.", ""),
    "mail/worker": ("Sends what lies in the outbox.", "mail/templates core/events core/config core/log"),
    "api/auth": ("Who calls.", "core/config core/errors"),
    "api/basket": ("Baskets over HTTP.", "basket/store basket/models api/auth core/errors"),
    "api/checkout": ("Checkout over HTTP.", "checkout/service api/auth core/errors"),
    "api/orders": ("Orders over HTTP.", "orders/store orders/models payments/refunds api/auth"),
    "api/app": ("The application.", "api/basket api/checkout api/orders core/log core/database"),
    "tools/export": ("Exports orders for the tax office.", "orders/store core/config"),
}
_CODE = {
    "orders/tables": """from sqlalchemy import Column, ForeignKey, Integer, String
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


class OrderLine(Base):
    __tablename__ = "order_lines"
    id = Column(Integer, primary_key=True)
    order_id = Column(ForeignKey("orders.id"))
    price_cents = Column(Integer)
""",
    "api/app": """from fastapi import FastAPI

app = FastAPI()


@app.get("/health")
def health() -> dict[str, str]:
    return {"status": "ok"}
""",
    "api/checkout": """from fastapi import APIRouter

router = APIRouter()


@router.post("/checkout/{basket_id}")
def pay(basket_id: str) -> dict[str, str]:
    return {"order": basket_id}
""",
    "api/basket": """from fastapi import APIRouter

router = APIRouter()


@router.get("/baskets/{basket_id}")
def show(basket_id: str) -> dict[str, str]:
    return {"id": basket_id}
""",
    "tools/export": PLANTED.decode(),
}
_README = """# Checkout service

The checkout service turns a basket into a paid order. It holds stock while customers shop, asks the payment provider
for money, and keeps orders for seven years.

## Running
`uvicorn src.api.app:app`
"""
_PYPROJECT = """[project]
name = "checkout"
version = "3.4.0"
description = "Turns a basket into a paid order."
requires-python = ">=3.12"
dependencies = ["fastapi==0.115.2", "sqlalchemy==2.0.36", "asyncpg==0.30.0", "redis==5.2.0", "pydantic==2.9.2"]

[project.optional-dependencies]
dev = ["pytest==8.3.3", "mypy==1.13.0", "ruff==0.7.2", "hypothesis==6.115.0"]

[tool.ruff]
line-length = 100
"""
_PACKAGE = """{
  "name": "checkout-web",
  "dependencies": {"react": "18.3.1", "vite": "5.4.10"},
  "devDependencies": {"typescript": "5.6.3", "tailwindcss": "3.4.14", "vitest": "2.1.4"}
}
"""


def _module(path: str) -> bytes:
    about, imported = _MODULES[path]
    lines = [f'"""{about}"""', "", "from __future__ import annotations", ""]
    lines += [f"from src.{name.replace('/', '.')} import *" for name in imported.split()]
    name = path.rpartition("/")[2]
    code = _CODE.get(path, f'def {name}(value: str) -> str:\n    """{about}"""\n    return value\n')
    return "\n".join([*lines, "", code]).encode()


def serve_codebase(server: GitServer) -> str:
    """Create a repository with a few dozen modules; return its URL."""
    files: dict[bytes, bytes | None] = {f"src/{path}.py".encode(): _module(path) for path in _MODULES}
    files |= {
        b"README.md": _README.encode(),
        b"pyproject.toml": _PYPROJECT.encode(),
        b"web/package.json": _PACKAGE.encode(),
        b"web/src/api.ts": b"export const ask = (path: string) => fetch(path);\n",
        b"web/src/basket.ts": b'import { ask } from "./api";\n\nexport const basket = () => ask("/baskets/1");\n',
        b"web/src/main.tsx": b'import { basket } from "./basket";\nimport { ask } from "./api";\n\nvoid basket();\n',
        b"Dockerfile": b"FROM python:3.12-slim\nCOPY . .\nCMD uvicorn src.api.app:app\n",
    }
    make_repository(server.root / PATH, [Commit(b"feat: checkout", files)])
    return server.url(PATH)


def scan(user: User, url: str, seconds: float = 60.0) -> Any:
    """Connect a repository and scan it; return the finished scan."""
    project = user.project_id
    user.request("PATCH", f"/api/projects/{project}", json={"repoUrl": url})
    user.request("POST", "/api/v2/scans", json={"projectId": project})
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        found = user.request("GET", "/api/v2/scans", params={"projectId": project})["scan"]
        if found["completedAt"] is not None:
            return found
        time.sleep(0.1)
    raise TimeoutError("the scan did not finish")
