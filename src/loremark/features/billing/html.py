"""HTML of the built-in provider's pages. Every value is escaped on insertion."""

from __future__ import annotations

from html import escape

from loremark.base.plans import UNBOUNDED, Plan
from loremark.ports.payments.local import Checkout
from loremark.wire.billing import SubscriptionInfo, Usage

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Loremark</title>
<link rel="icon" href="/assets/loremark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/loremark.css">
</head>
<body>
<main>
<header><img src="/assets/loremark.svg" alt="" width="48" height="48"><div><h1>{title}</h1><p>{under}</p></div></header>
{content}
</main>
</body>
</html>
"""
_NO_MONEY = "This server has no payment provider, so no money is charged."
_STATES = {
    "none": "No subscription",
    "active": "Active",
    "past_due": "Last payment failed",
    "cancelling": "Ends with the current billing period",
    "cancelled": "Ended",
}


def _page(title: str, content: str, under: str = _NO_MONEY) -> str:
    return _PAGE.format(title=escape(title), under=escape(under), content=content)


def _euro(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d} EUR"


def _number(count: int) -> str:
    return "unlimited" if count >= UNBOUNDED else f"{count:,}"


def expired() -> str:
    link = '<p>Choose a plan again on the <a href="/billing/portal">billing page</a>.</p>'
    return _page("Checkout", f'<section class="card"><p>This checkout has expired.</p>{link}</section>')


def checkout(session: str, order: Checkout, plan: Plan) -> str:
    """The order, with buttons to confirm or cancel."""
    rows = [
        ("Plan", plan.id),
        *([("Seats", _number(order.seats))] if plan.per_seat else []),
        ("Price", f"{_euro(plan.price_cents * order.seats)} per month"),
        ("AI tokens", f"{_number(plan.ai_tokens)} per month"),
        ("Projects", _number(plan.projects)),
    ]
    back = escape(order.cancel_url or "/billing/portal")
    return _page(
        "Checkout",
        f"""<section class="card">{_table(rows)}
<form method="post" action="/billing/checkout">
<input type="hidden" name="session" value="{escape(session)}">
<p><button>Confirm</button></p>
</form>
<p class="soft">Cancel and go back to <a rel="noreferrer" href="{back}">{back}</a></p>
</section>""",
    )


def done(order: Checkout, next_url: str) -> str:
    """Links to another site are shown, never followed automatically."""
    link = escape(next_url)
    return _page(
        "Confirmed",
        f"""<section class="card"><p>Your team is now on the {escape(order.plan_id)} plan.</p>
<p>Continue to <a rel="noreferrer" href="{link}">{link}</a></p>
<p><a href="/billing/portal">Billing</a> · <a href="/">Loremark</a></p></section>""",
    )


def portal(usage: Usage, credits: int, sold: list[Plan], members: int) -> str:
    state = f"{_table(_state_rows(usage, credits))}{_cancel(usage.subscription)}"
    return _page(
        "Billing",
        f"""<section class="card"><h2>Plan</h2>{state}</section>
<section class="card"><h2>Change plan</h2>{"".join(_choice(plan, members) for plan in sold)}</section>
<p><a href="/">Loremark</a></p>""",
    )


def _state_rows(usage: Usage, credits: int) -> list[tuple[str, str]]:
    state = usage.subscription
    rows = [("Plan", usage.plan), ("Status", _STATES[state.status]), ("Credits", f"{_number(credits)} tokens")]
    if state.cancel_at is not None:
        rows.append(("Ends", state.cancel_at[:10]))
    elif state.period_end is not None:
        rows.append(("Paid until", state.period_end[:10]))
    counters = usage.usage
    for name in ("sessions", "events", "enrichments", "storage"):
        counter = getattr(counters, name)
        unit = " bytes" if name == "storage" else ""
        used, limit = f"{counter.used:,}", f"{counter.limit:,}"
        is_unlimited = counter.limit >= UNBOUNDED
        rows.append((name.capitalize(), f"{used}{unit} (unlimited)" if is_unlimited else f"{used} of {limit}{unit}"))
    return rows


def _table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>"


def _cancel(state: SubscriptionInfo) -> str:
    if state.status not in ("active", "past_due"):
        return ""
    return '<form method="post" action="/billing/portal/cancel"><p><button>Cancel plan</button></p></form>'


def _choice(plan: Plan, members: int) -> str:
    each = " per seat" if plan.per_seat else ""
    seats = f'<label><span>Seats</span><input name="seats" value="{members}" inputmode="numeric"></label>'
    return f"""<form method="post" action="/billing/portal/plan">
<h3>{escape(plan.id)}: {_euro(plan.price_cents)}{each} per month</h3>
<input type="hidden" name="planId" value="{escape(plan.id)}">{seats if plan.per_seat else ""}
<p><button>Choose {escape(plan.id)}</button></p>
</form>"""
