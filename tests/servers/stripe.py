"""A fake Stripe API on loopback: the few calls Loremark makes, with idempotency keys and faults on demand."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

KEY = "sk_test_of_the_tests"
SECRET = "whsec_of_the_tests"
MONTH_S = 30 * 86_400


def _nested(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Decode Stripe's form bodies (``a[b][0]=c``) into nested dicts."""
    result: dict[str, Any] = {}
    for name, value in pairs:
        keys = name.replace("]", "").split("[")
        node = result
        for key in keys[:-1]:
            node = node.setdefault(key, {})
        node[keys[-1]] = value
    return result


@dataclass
class Faults:
    """Faults of the next calls: refused, lost after the work was done, or delayed."""

    refuse: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    lose: int = 0
    delay_s: float = 0.0
    down: bool = False


class FakeStripe:
    """Keeps its state in memory; the SDK connects to ``url``."""

    def __init__(self) -> None:
        self._count = itertools.count(1)
        self._lock = threading.RLock()
        self.objects: dict[str, dict[str, Any]] = {}
        self.idempotent_responses: dict[str, tuple[str, int, dict[str, Any]]] = {}
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        self.faults = Faults()
        self.decline = ""
        self.processing = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> FakeStripe:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def settings(self) -> dict[str, str]:
        return {
            "LOREMARK_PAYMENTS": "stripe",
            "LOREMARK_STRIPE_API_KEY": KEY,
            "LOREMARK_STRIPE_WEBHOOK_SECRET": SECRET,
            "LOREMARK_STRIPE_BASE_URL": self.url,
        }

    # Actions on Stripe's side, for tests.

    def new(self, kind: str, **fields: Any) -> dict[str, Any]:
        created = {"id": f"{kind}_{next(self._count):06d}", "created": int(time.time()), **fields}
        self.objects[created["id"]] = created
        return created

    def of(self, prefix: str) -> list[dict[str, Any]]:
        """The objects whose id starts with this prefix."""
        return [found for name, found in self.objects.items() if name.startswith(prefix + "_")]

    def add_card(self, customer: str) -> str:
        card = self.new("pm", object="payment_method", customer=customer)
        self.objects[customer]["invoice_settings"] = {"default_payment_method": card["id"]}
        return str(card["id"])

    def finish_checkout(self, session_id: str, *, state: str = "active") -> dict[str, Any]:
        """Complete a checkout and create its subscription."""
        session = self.objects[session_id]
        now = int(time.time())
        item = {"id": "si_1", "quantity": int(session["line_items"]["0"]["quantity"])}
        item |= {"current_period_start": now, "current_period_end": now + MONTH_S}
        created = self.new(
            "sub",
            object="subscription",
            status=state,
            customer=session["customer"],
            metadata=session["subscription_data"]["metadata"],
            items={"object": "list", "data": [item]},
            cancel_at=None,
            cancel_at_period_end=False,
        )
        session["subscription"] = created["id"]
        return created

    def event(self, type: str, about: dict[str, Any], event_id: str = "") -> str:
        """The body of a webhook event."""
        event = {"id": event_id or f"evt_{next(self._count):06d}", "object": "event", "type": type}
        return json.dumps({**event, "created": int(time.time()), "data": {"object": about}})

    # Calls of the SDK.

    def answer(self, method: str, path: str, params: dict[str, Any], key: str | None) -> tuple[int, dict[str, Any]]:
        with self._lock:
            self.calls.append((method, path, params))
            request = json.dumps([method, path, params], sort_keys=True)
            if key and method == "POST" and key in self.idempotent_responses:
                previous, status, answer = self.idempotent_responses[key]
                if previous != request:
                    return 400, _error("idempotency_error", "Keys for idempotent requests can only be used once")
                return status, answer
            status, answer = self._do(method, path.removeprefix("/v1/").split("/"), params)
            if key and method == "POST":
                self.idempotent_responses[key] = (request, status, answer)
            return status, answer

    def _do(self, method: str, path: list[str], params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        match (method, *path):
            case ("POST", "customers"):
                return 200, self.new("cus", object="customer", invoice_settings={}, **params)
            case ("GET", "customers", customer, "payment_methods"):
                return 200, _listed([found for found in self.of("pm") if found["customer"] == customer])
            case ("POST", "checkout", "sessions"):
                created = self.new("cs", object="checkout.session", **params)
                created["url"] = f"https://checkout.stripe.example/{created['id']}"
                return 200, created
            case ("POST", "billing_portal", "sessions"):
                created = self.new("bps", object="billing_portal.session", **params)
                created["url"] = f"https://billing.stripe.example/{created['id']}"
                return 200, created
            case ("POST", "payment_intents"):
                return self._pay(params)
            case ("GET", "refunds"):
                return 200, _listed(
                    [found for found in self.of("re") if found["payment_intent"] == params["payment_intent"]]
                )
            case ("POST", "subscriptions", name) if name in self.objects:
                found = self.objects[name]
                if params.get("cancel_at_period_end") == "true":
                    end = found["items"]["data"][0]["current_period_end"]
                    found |= {"cancel_at_period_end": True, "cancel_at": end}
                return 200, found
            case ("DELETE", "subscriptions", name) if name in self.objects:
                self.objects[name]["status"] = "canceled"
                return 200, self.objects[name]
            case ("GET", _, name) if name in self.objects:
                return 200, self.objects[name]
        return 404, _error("invalid_request_error", "No such thing")

    def _pay(self, params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        created = self.new("pi", object="payment_intent", **params)
        created["amount"] = int(params["amount"])
        if self.decline:
            created["status"] = "requires_payment_method"
            return 402, _error("card_error", "Your card was declined.", code=self.decline)
        created["status"] = "processing" if self.processing else "succeeded"
        return 200, created

    def refund(self, payment: str, cents: int) -> dict[str, Any]:
        """Refund a payment as in Stripe's dashboard, and return the charge as an event contains it."""
        self.new("re", object="refund", payment_intent=payment, amount=cents, status="succeeded")
        return {"id": f"ch_{payment}", "object": "charge", "payment_intent": payment, "amount_refunded": cents}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def _handle(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(size).decode()
                parts = urlsplit(self.path)
                if fake.faults.down or self.headers.get("Authorization") != f"Bearer {KEY}":
                    self.close_connection = True
                    self.connection.close()
                    return
                time.sleep(fake.faults.delay_s)
                if fake.faults.refuse:
                    status, answer = fake.faults.refuse.pop(0)
                else:
                    params = _nested(parse_qsl(body or parts.query))
                    status, answer = fake.answer(self.command, parts.path, params, self.headers.get("Idempotency-Key"))
                if self.command == "POST" and fake.faults.lose:
                    fake.faults.lose -= 1
                    self.close_connection = True
                    self.connection.close()
                    return
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = _handle

        return Handler


def _listed(found: list[dict[str, Any]]) -> dict[str, Any]:
    return {"object": "list", "data": found, "has_more": False, "url": "/v1/list"}


def _error(type: str, message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"type": type, "message": message, **more}}


def running() -> Iterator[FakeStripe]:
    """Yield a running server, for fixtures."""
    with FakeStripe() as fake:
        yield fake
