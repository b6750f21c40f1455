"""The dashboard's addresses, /assets/{name}, /signin, /connect."""

from __future__ import annotations

from loremark.base import errors, limits
from loremark.features.dashboard import connecting
from loremark.features.dashboard.pages import Pages
from loremark.features.identity import service
from loremark.features.identity.cookies import LoginCookie
from loremark.features.identity.service import Door
from loremark.web.call import Call
from loremark.web.needs import ANYONE, page_needs_login
from loremark.web.response import HTML, Response
from loremark.web.routes import Routes, TxMode
from loremark.wire.shapes import Shape

routes = Routes("dashboard")

_FORM_BYTES = 4 * 1024


class SigninQuery(Shape):
    token: str = ""


class ConnectQuery(Shape):
    key: str = ""
    name: str = ""
    port: str = ""


_PLACES = {
    "home": "/",
    "sign_in": "/sign-in",
    "register": "/register",
    "invitation": "/invitation",
    "welcome": "/welcome",
    "team": "/team",
    "keys": "/keys",
    "billing": "/billing",
    "audit": "/audit",
    "account": "/account",
}


async def page(call: Call) -> Response:
    """The dashboard. One page for all addresses: it asks the API for what it shows, like anyone else."""
    return call.use(Pages).page()


for _name, _path in _PLACES.items():
    routes.add("GET", _path, ANYONE, name=_name, tx=TxMode.NONE, described=False)(page)


@routes.add("GET", "/p/{projectId}", ANYONE, name="project", tx=TxMode.NONE, described=False)
async def project(call: Call, project_id: str) -> Response:
    """The dashboard, at a project."""
    return call.use(Pages).page()


@routes.add("GET", "/p/{projectId}/{page}", ANYONE, name="project_page", tx=TxMode.NONE, described=False)
async def project_page(call: Call, project_id: str, page: str) -> Response:
    """The dashboard, at a page of a project."""
    return call.use(Pages).page()


@routes.add("GET", "/p/{projectId}/{page}/{id}", ANYONE, name="project_part", tx=TxMode.NONE, described=False)
async def project_part(call: Call, project_id: str, page: str, id: str) -> Response:
    """The dashboard, at one thing on a page of a project."""
    return call.use(Pages).page()


@routes.add("GET", "/assets/{name}", ANYONE, name="asset", tx=TxMode.NONE, counted=False, described=False)
async def asset(call: Call, name: str) -> Response:
    """A file of the dashboard."""
    found = call.use(Pages).find(name)
    if found is None:
        raise errors.NOT_FOUND()
    return found.response(call.request.header(b"accept-encoding") or "")


@routes.add("GET", "/signin", ANYONE, name="signin", tx=TxMode.WRITE, described=False)
async def signin(call: Call, query: SigninQuery) -> Response:
    """Use a one-time sign-in link up, then show the dashboard; an old link shows the sign-in form."""
    if call.request.method == "GET" and 0 < len(query.token) <= limits.SIGNIN_TOKEN_CHARS:
        signed_in = await service.use_signin_link(call.tx, call.use(Door), query.token, call.request.origin)
        if signed_in is not None:
            call.use(LoginCookie).set(call, signed_in.token)
    return Response(303, b"", HTML, [(b"location", b"/")])


@routes.add("GET", "/connect", page_needs_login(), name="connect", tx=TxMode.NONE, described=False)
async def connect(call: Call, query: ConnectQuery) -> Response:
    """The question whether a command line may act as whoever is signed in."""
    asked = connecting.read(query.key, query.name, query.port)
    return Response(200, connecting.question(asked, call.caller.email).encode(), HTML)


@routes.add("POST", "/connect", page_needs_login(), name="allow", tx=TxMode.WRITE, described=False)
async def allow(call: Call) -> Response:
    """Give it a key, in a letter that only it can open."""
    asked = connecting.read_form(await call.request.read_body(_FORM_BYTES))
    if asked is None:
        return Response(400, connecting.question(None).encode(), HTML)
    letter = await connecting.allow(call.tx, call.caller, asked)
    return Response(200, connecting.answer(asked, letter).encode(), HTML)
