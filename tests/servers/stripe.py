"""Stripe at the wire, on loopback: the few calls Loremark makes, with idempotency keys and faults on demand."""

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
    """``a[b][0]=c`` as Stripe's form bodies mean it."""
    whole: dict[str, Any] = {}
    for name, value in pairs:
        keys = name.replace("]", "").split("[")
        place = whole
        for key in keys[:-1]:
            place = place.setdefault(key, {})
        place[keys[-1]] = value
    return whole


@dataclass
class Faults:
    """What goes wrong next: answers that are refused, lost after the work was done, or late."""

    refuse: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    lose: int = 0
    delay_s: float = 0.0
    down: bool = False


class FakeStripe:
    """State in memory; ``url`` is where the SDK is pointed to."""

    def __init__(self) -> None:
        self._count = itertools.count(1)
        self._lock = threading.RLock()
        self.objects: dict[str, dict[str, Any]] = {}
        self.kept: dict[str, tuple[str, int, dict[str, Any]]] = {}
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

    # What a test does at Stripe's own side.

    def new(self, kind: str, **fields: Any) -> dict[str, Any]:
        made = {"id": f"{kind}_{next(self._count):06d}", "created": int(time.time()), **fields}
        self.objects[made["id"]] = made
        return made

    def of(self, prefix: str) -> list[dict[str, Any]]:
        return [found for name, found in self.objects.items() if name.startswith(prefix + "_")]

    def add_card(self, customer: str) -> str:
        card = self.new("pm", object="payment_method", customer=customer)
        self.objects[customer]["invoice_settings"] = {"default_payment_method": card["id"]}
        return str(card["id"])

    def finish_checkout(self, session_id: str, *, state: str = "active") -> dict[str, Any]:
        """The buyer has paid: a subscription begins."""
        asked = self.objects[session_id]
        now = int(time.time())
        item = {"id": "si_1", "quantity": int(asked["line_items"]["0"]["quantity"])}
        item |= {"current_period_start": now, "current_period_end": now + MONTH_S}
        made = self.new(
            "sub",
            object="subscription",
            status=state,
            customer=asked["customer"],
            metadata=asked["subscription_data"]["metadata"],
            items={"object": "list", "data": [item]},
            cancel_at=None,
            cancel_at_period_end=False,
        )
        asked["subscription"] = made["id"]
        return made

    def event(self, type: str, about: dict[str, Any], event_id: str = "") -> str:
        """The body of a webhook."""
        event = {"id": event_id or f"evt_{next(self._count):06d}", "object": "event", "type": type}
        return json.dumps({**event, "created": int(time.time()), "data": {"object": about}})

    # What the SDK asks for.

    def answer(self, method: str, path: str, given: dict[str, Any], key: str | None) -> tuple[int, dict[str, Any]]:
        with self._lock:
            self.calls.append((method, path, given))
            asked = json.dumps([method, path, given], sort_keys=True)
            if key and method == "POST" and key in self.kept:
                before, status, answer = self.kept[key]
                if before != asked:
                    return 400, _error("idempotency_error", "Keys for idempotent requests can only be used once")
                return status, answer
            status, answer = self._do(method, path.removeprefix("/v1/").split("/"), given)
            if key and method == "POST":
                self.kept[key] = (asked, status, answer)
            return status, answer

    def _do(self, method: str, path: list[str], given: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        match (method, *path):
            case ("POST", "customers"):
                return 200, self.new("cus", object="customer", invoice_settings={}, **given)
            case ("GET", "customers", customer, "payment_methods"):
                return 200, _listed([found for found in self.of("pm") if found["customer"] == customer])
            case ("POST", "checkout", "sessions"):
                made = self.new("cs", object="checkout.session", **given)
                made["url"] = f"https://checkout.stripe.example/{made['id']}"
                return 200, made
            case ("POST", "billing_portal", "sessions"):
                made = self.new("bps", object="billing_portal.session", **given)
                made["url"] = f"https://billing.stripe.example/{made['id']}"
                return 200, made
            case ("POST", "payment_intents"):
                return self._pay(given)
            case ("GET", "refunds"):
                return 200, _listed(
                    [found for found in self.of("re") if found["payment_intent"] == given["payment_intent"]]
                )
            case ("POST", "subscriptions", name) if name in self.objects:
                found = self.objects[name]
                if given.get("cancel_at_period_end") == "true":
                    end = found["items"]["data"][0]["current_period_end"]
                    found |= {"cancel_at_period_end": True, "cancel_at": end}
                return 200, found
            case ("DELETE", "subscriptions", name) if name in self.objects:
                self.objects[name]["status"] = "canceled"
                return 200, self.objects[name]
            case ("GET", _, name) if name in self.objects:
                return 200, self.objects[name]
        return 404, _error("invalid_request_error", "No such thing")

    def _pay(self, given: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        made = self.new("pi", object="payment_intent", **given)
        made["amount"] = int(given["amount"])
        if self.decline:
            made["status"] = "requires_payment_method"
            return 402, _error("card_error", "Your card was declined.", code=self.decline)
        made["status"] = "processing" if self.processing else "succeeded"
        return 200, made

    def refund(self, payment: str, cents: int) -> dict[str, Any]:
        """Money given back at Stripe's own page; the charge as an event shows it."""
        self.new("re", object="refund", payment_intent=payment, amount=cents, status="succeeded")
        return {"id": f"ch_{payment}", "object": "charge", "payment_intent": payment, "amount_refunded": cents}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def _all(self) -> None:
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
                    given = _nested(parse_qsl(body or parts.query))
                    status, answer = fake.answer(self.command, parts.path, given, self.headers.get("Idempotency-Key"))
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

            do_GET = do_POST = do_DELETE = _all

        return Handler


def _listed(found: list[dict[str, Any]]) -> dict[str, Any]:
    return {"object": "list", "data": found, "has_more": False, "url": "/v1/list"}


def _error(type: str, message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"type": type, "message": message, **more}}


def running() -> Iterator[FakeStripe]:
    """For fixtures."""
    with FakeStripe() as fake:
        yield fake
