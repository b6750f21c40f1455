"""/, /invitation, /assets/{name}, /signin, /connect."""

from __future__ import annotations

from pathlib import Path

from cairn.base import errors, limits
from cairn.features.dashboard import connecting
from cairn.features.identity import service
from cairn.features.identity.cookies import LoginCookie
from cairn.features.identity.service import Door
from cairn.web.call import Call
from cairn.web.needs import ANYONE, LOGIN, needs
from cairn.web.response import HTML, Response
from cairn.web.routes import Routes, TxMode
from cairn.wire.shapes import Shape

routes = Routes("dashboard")

_FILES = Path(__file__).parent / "files"
_TYPES = {
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}
_ASSETS = {path.name: (path.read_bytes(), _TYPES[path.suffix]) for path in _FILES.iterdir() if path.suffix in _TYPES}
_PAGE = (_FILES / "index.html").read_bytes()
_REVALIDATE = (b"cache-control", b"no-cache")


_FORM_BYTES = 4 * 1024


class SigninQuery(Shape):
    token: str = ""


class ConnectQuery(Shape):
    key: str = ""
    name: str = ""
    port: str = ""


@routes.add("GET", "/", ANYONE, name="home", tx=TxMode.NONE, described=False)
async def home(call: Call) -> Response:
    """The dashboard."""
    return Response(200, _PAGE, HTML)


@routes.add("GET", "/invitation", ANYONE, name="invitation", tx=TxMode.NONE, described=False)
async def invitation(call: Call) -> Response:
    """The page behind the link in an invitation's mail."""
    return Response(200, _PAGE, HTML)


@routes.add("GET", "/assets/{name}", ANYONE, name="asset", tx=TxMode.NONE, described=False)
async def asset(call: Call, name: str) -> Response:
    """A file of the dashboard."""
    if name not in _ASSETS:
        raise errors.NOT_FOUND()
    content, kind = _ASSETS[name]
    return Response(200, content, kind, [_REVALIDATE])


@routes.add("GET", "/signin", ANYONE, name="signin", tx=TxMode.WRITE, described=False)
async def signin(call: Call, query: SigninQuery) -> Response:
    """Use a one-time sign-in link up, then show the dashboard; an old link shows the sign-in form."""
    if call.request.method == "GET" and 0 < len(query.token) <= limits.SIGNIN_TOKEN_CHARS:
        signed_in = await service.use_signin_link(call.tx, call.use(Door), query.token, call.request.origin)
        if signed_in is not None:
            call.use(LoginCookie).set(call, signed_in.token)
    return Response(303, b"", HTML, [(b"location", b"/")])


@routes.add("GET", "/connect", ANYONE, name="connect", tx=TxMode.NONE, described=False)
async def connect(call: Call, query: ConnectQuery) -> Response:
    """The question whether a command line may act as whoever is signed in."""
    return Response(200, connecting.question(connecting.read(query.key, query.name, query.port)).encode(), HTML)


@routes.add("POST", "/connect", needs(LOGIN), name="allow", tx=TxMode.WRITE, described=False)
async def allow(call: Call) -> Response:
    """Give it a key, in a letter that only it can open."""
    asked = connecting.read_form(await call.request.read_body(_FORM_BYTES))
    if asked is None:
        return Response(400, connecting.question(None).encode(), HTML)
    letter = await connecting.allow(call.tx, call.caller, asked)
    return Response(200, connecting.answer(asked, letter).encode(), HTML)
