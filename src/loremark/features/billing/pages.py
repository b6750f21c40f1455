"""/billing/…: the checkout and portal of the embedded provider, as plain pages without a script.

They are for the owner's browser: who is not signed in does so first, and a form is only taken from our own pages.
What is confirmed leads on by itself only to our own address; any other is shown as a link, with all of it to be read.
"""

from __future__ import annotations

from urllib.parse import parse_qs

from loremark.base import errors, limits
from loremark.base.caller import OWNER
from loremark.features.billing import html, service, store, subscriptions
from loremark.features.billing.subscriptions import Cashier
from loremark.ports.payments.local import Checkout
from loremark.web.call import Call
from loremark.web.needs import page_needs_login
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


def _cashier(call: Call) -> Cashier:
    """These pages are there only where nobody else takes the money."""
    cashier = call.use(Cashier)
    if cashier.provider is not cashier.local:
        raise errors.NOT_FOUND()
    return cashier


def _order(call: Call, session: str) -> Checkout | None:
    """The order behind a checkout of the caller's team."""
    order = _cashier(call).local.read(session, call.caller.team_id) if session else None
    return order if order is not None and order.plan_id == call.use(Cashier).plans.get(order.plan_id).id else None


async def _form(call: Call) -> dict[str, str]:
    raw = await call.request.read_body(_FORM_BYTES)
    try:
        return {name: values[-1] for name, values in parse_qs(raw.decode(), max_num_fields=20).items()}
    except ValueError:
        return {}


def _page(content: str, status: int = 200) -> Response:
    return Response(status, content.encode(), HTML)


def _to(place: str) -> Response:
    return Response(303, b"", HTML, [(b"location", place.encode())])


@routes.add("GET", "/billing/checkout", _OWNER, name="checkout", described=False)
async def show_checkout(call: Call, query: CheckoutQuery) -> Response:
    """The order, to be confirmed."""
    order = _order(call, query.session)
    if order is None:
        return _page(html.gone(), 404)
    return _page(html.checkout(query.session, order, call.use(Cashier).plans.get(order.plan_id)))


@routes.add("POST", "/billing/checkout", _OWNER, name="confirm", tx=TxMode.WRITE, described=False)
async def confirm_checkout(call: Call) -> Response:
    """The plan holds from now on."""
    order = _order(call, (await _form(call)).get("session", ""))
    if order is None:
        return _page(html.gone(), 404)
    cashier = call.use(Cashier)
    await subscriptions.begin_local(call.tx, call.caller, cashier.plans, order.plan_id, order.seats)
    if order.success_url is None or cashier.local.is_ours(order.success_url):
        return _to(order.success_url or _PORTAL)
    return _page(html.done(order, order.success_url))


@routes.add("GET", _PORTAL, _OWNER, name="portal", described=False)
async def show_portal(call: Call) -> Response:
    """What is paid, and what could be."""
    plans = _cashier(call).plans
    usage = await service.show_usage(call.tx, call.caller.scope, plans)
    credits = await service.show_credits(call.tx, call.caller.scope)
    members = await store.count_members(call.tx, call.caller.scope)
    return _page(html.portal(usage, credits.balance, list(plans.sold.values()), members))


@routes.add("POST", "/billing/portal/plan", _OWNER, name="choose", tx=TxMode.NONE, described=False)
async def choose_plan(call: Call) -> Response:
    """On to the checkout of another plan."""
    form = await _form(call)
    await call.ask_again()
    seats = form.get("seats", "")
    wanted = int(seats) if seats.isdecimal() and len(seats) < 6 else 1
    order = NewCheckout(plan_id=form.get("planId", ""), seats=min(max(wanted, 1), limits.SEATS))
    return _to(await service.open_checkout(_cashier(call), call.caller, order))


@routes.add("POST", "/billing/portal/cancel", _OWNER, name="cancel", tx=TxMode.NONE, described=False)
async def cancel_plan(call: Call) -> Response:
    """Let the plan end with its period."""
    await service.cancel(_cashier(call), call.caller)
    return _to(_PORTAL)
