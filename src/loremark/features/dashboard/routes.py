"""Dashboard pages, /assets/{name}, /signin and /connect."""

from __future__ import annotations

from loremark.base import errors, limits
from loremark.features.dashboard import cli_login
from loremark.features.dashboard.pages import Pages
from loremark.features.identity import service
from loremark.features.identity import store as people
from loremark.features.identity.cookies import LoginCookie
from loremark.features.identity.service import AuthConfig, LinkProblem, SignedIn
from loremark.web.authentication import ANYONE, cookie, page_needs_login
from loremark.web.call import Call
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


_PAGES = {
    "home": "/",
    "sign_in": "/sign-in",
    "register": "/register",
    "invitation": "/invitation",
    "welcome": "/welcome",
    "team": "/team",
    "keys": "/keys",
    "billing": "/billing",
    "models": "/models",
    "audit": "/audit",
    "account": "/account",
}
PROJECT_PAGES = frozenset(
    ("review", "memory", "map", "brain", "ask", "sessions", "genesis", "hygiene", "usefulness", "webhooks", "settings")
)
PAGES_WITH_RECORDS = frozenset(("memory", "map", "ask", "sessions"))


async def page(call: Call) -> Response:
    """The dashboard. One page serves all routes; its data comes from the API."""
    return call.use(Pages).page()


for _name, _path in _PAGES.items():
    routes.add("GET", _path, ANYONE, name=_name, tx=TxMode.NONE, in_openapi=False)(page)


@routes.add("GET", "/p/{projectId}", ANYONE, name="project", tx=TxMode.NONE, in_openapi=False)
async def project(call: Call, project_id: str) -> Response:
    """The dashboard of a project."""
    return call.use(Pages).page()


@routes.add("GET", "/p/{projectId}/{page}", ANYONE, name="project_page", tx=TxMode.NONE, in_openapi=False)
async def project_page(call: Call, project_id: str, page: str) -> Response:
    """A dashboard page of a project."""
    if page not in PROJECT_PAGES:
        raise errors.NOT_FOUND()
    return call.use(Pages).page()


@routes.add("GET", "/p/{projectId}/{page}/{id}", ANYONE, name="project_record", tx=TxMode.NONE, in_openapi=False)
async def project_record(call: Call, project_id: str, page: str, id: str) -> Response:
    """A record on a dashboard page of a project."""
    if page not in PAGES_WITH_RECORDS:
        raise errors.NOT_FOUND()
    return call.use(Pages).page()


@routes.add("GET", "/assets/{name}", ANYONE, name="asset", tx=TxMode.NONE, counted=False, in_openapi=False)
async def asset(call: Call, name: str) -> Response:
    """A dashboard asset."""
    found = call.use(Pages).find(name)
    if found is None:
        raise errors.NOT_FOUND()
    return found.response(call.request.header(b"accept-encoding") or "")


@routes.add("GET", "/signin", ANYONE, name="signin", tx=TxMode.WRITE, in_openapi=False)
async def signin(call: Call, query: SigninQuery) -> Response:
    """Sign in with a one-time link and open the dashboard. If it does not work, the sign-in page says why."""
    location = b"/"
    if call.request.method == "GET" and query.token:
        signed_in = await _sign_in(call, query.token)
        if signed_in is not None:
            call.use(LoginCookie).set(call, signed_in.token)
        elif not await _is_signed_in(call):
            location = f"/sign-in?link={await _explain(call, query.token)}".encode()
    return Response(303, b"", HTML, [(b"location", location)])


async def _sign_in(call: Call, token: str) -> SignedIn | None:
    if len(token) > limits.SIGNIN_TOKEN_CHARS:
        return None
    return await service.sign_in_with_link(call.tx, call.use(AuthConfig), token, call.request.origin)


async def _explain(call: Call, token: str) -> LinkProblem:
    return "unknown" if len(token) > limits.SIGNIN_TOKEN_CHARS else await service.explain_link(call.tx, token)


async def _is_signed_in(call: Call) -> bool:
    token = cookie(call.request, call.use(LoginCookie).name)
    return token is not None and await people.find_by_login(call.tx, token) is not None


@routes.add("GET", "/connect", page_needs_login(), name="connect", tx=TxMode.NONE, in_openapi=False)
async def connect(call: Call, query: ConnectQuery) -> Response:
    """Ask the signed-in user to authorize the CLI."""
    request = cli_login.parse(query.key, query.name, query.port)
    return Response(200, cli_login.consent_page(request, call.caller.email).encode(), HTML)


@routes.add("POST", "/connect", page_needs_login(), name="allow", tx=TxMode.NONE, in_openapi=False)
async def allow(call: Call) -> Response:
    """Create an API key, encrypted for the CLI."""
    request = cli_login.parse_form(await call.request.read_body(_FORM_BYTES))
    if request is None:
        return Response(400, cli_login.consent_page(None).encode(), HTML)
    async with call.write() as tx:
        letter = await cli_login.allow(tx, call.caller, request)
    return Response(200, cli_login.result_page(request, letter).encode(), HTML)
