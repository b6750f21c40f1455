"""/billing/…: checkout and portal of the built-in payment provider, as plain pages without scripts.

For the team's owner, who is asked to sign in first; forms are only accepted from our own pages. After confirmation the
browser is redirected only to our own address; any other URL is shown in full as a link.
"""

from __future__ import annotations

from urllib.parse import parse_qs

from loremark.base import errors, limits
from loremark.base.caller import OWNER
from loremark.features.billing import html, service, store, subscriptions
from loremark.features.billing.subscriptions import Payments
from loremark.ports.payments.local import Checkout
from loremark.web.authentication import page_needs_login
from loremark.web.call import Call
from loremark.web.response import HTML, Response
from loremark.web.routes import Routes, TxMode
from loremark.wire.billing import NewCheckout
from loremark.wire.shapes import Shape

routes = Routes("billing_pages")

_OWNER = page_needs_login(frozenset((OWNER,)))
_FORM_BYTES = 32 * 1024
_PORTAL = "/billing/portal"


class CheckoutQuery(Shape):
    session: str = ""


def _local_payments(call: Call) -> Payments:
    """The pages exist only if the built-in provider is in use."""
    payments = call.use(Payments)
    if payments.provider is not payments.local:
        raise errors.NOT_FOUND()
    return payments


def _order(call: Call, session: str) -> Checkout | None:
    """The order of a checkout session of the caller's team."""
    order = _local_payments(call).local.read(session, call.caller.team_id) if session else None
    return order if order is not None and order.plan_id == call.use(Payments).plans.get(order.plan_id).id else None


async def _form(call: Call) -> dict[str, str]:
    raw = await call.request.read_body(_FORM_BYTES)
    try:
        return {name: values[-1] for name, values in parse_qs(raw.decode(), max_num_fields=20).items()}
    except ValueError:
        return {}


def _page(content: str, status: int = 200) -> Response:
    return Response(status, content.encode(), HTML)


def _redirect(url: str) -> Response:
    return Response(303, b"", HTML, [(b"location", url.encode())])


@routes.add("GET", "/billing/checkout", _OWNER, name="checkout", in_openapi=False)
async def show_checkout(call: Call, query: CheckoutQuery) -> Response:
    """Show the order."""
    order = _order(call, query.session)
    if order is None:
        return _page(html.expired(), 404)
    return _page(html.checkout(query.session, order, call.use(Payments).plans.get(order.plan_id)))


@routes.add("POST", "/billing/checkout", _OWNER, name="confirm", tx=TxMode.NONE, in_openapi=False)
async def confirm_checkout(call: Call) -> Response:
    """Confirm the order and start the plan."""
    order = _order(call, (await _form(call)).get("session", ""))
    if order is None:
        return _page(html.expired(), 404)
    payments = call.use(Payments)
    async with call.write() as tx:
        await subscriptions.start_local(tx, call.caller, payments.plans, order.plan_id, order.seats)
    if order.success_url is None or payments.local.is_ours(order.success_url):
        return _redirect(order.success_url or _PORTAL)
    return _page(html.done(order, order.success_url))


@routes.add("GET", _PORTAL, _OWNER, name="portal", in_openapi=False)
async def show_portal(call: Call) -> Response:
    """Show the current plan and the plans for sale."""
    plans = _local_payments(call).plans
    usage = await service.get_usage(call.tx, call.caller.scope, plans)
    credits = await service.get_credits(call.tx, call.caller.scope)
    members = await store.count_members(call.tx, call.caller.scope)
    return _page(html.portal(usage, credits.balance, list(plans.purchasable.values()), members))


@routes.add("POST", "/billing/portal/plan", _OWNER, name="choose", tx=TxMode.NONE, in_openapi=False)
async def choose_plan(call: Call) -> Response:
    """Redirect to the checkout of another plan."""
    form = await _form(call)
    await call.recheck_caller()
    seats = form.get("seats", "")
    wanted = int(seats) if seats.isdecimal() and len(seats) < 6 else 1
    order = NewCheckout(plan_id=form.get("planId", ""), seats=min(max(wanted, 1), limits.SEATS))
    return _redirect(await service.open_checkout(_local_payments(call), call.caller, order))


@routes.add("POST", "/billing/portal/cancel", _OWNER, name="cancel", tx=TxMode.NONE, in_openapi=False)
async def cancel_plan(call: Call) -> Response:
    """Cancel the plan at the end of the billing period."""
    await service.cancel(_local_payments(call), call.caller)
    return _redirect(_PORTAL)
