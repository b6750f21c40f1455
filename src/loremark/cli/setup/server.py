"""Find a server or start one, and sign in to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from loremark.base import profile, running_servers
from loremark.base.running_servers import ServerRecord
from loremark.base.settings import environment_with
from loremark.cli import local_server, login, output
from loremark.cli.error_messages import explain
from loremark.cli.framework import SIGNED_OUT, USAGE, CommandError
from loremark.cli.local_server import StartPlan, shorten
from loremark.cli.step_report import Step
from loremark.client.call import ApiError
from loremark.client.calls.identity import get_me
from loremark.client.client import Client
from loremark.wire.identity import CurrentUser

OpenDatabase = Callable[[ServerRecord], str]
"""Sign in through the database of this user's own server, and return an API key."""


class ServerPlan(NamedTuple):
    """The server to use. Without ``start``, it is running."""

    url: str
    version: str = ""
    start: StartPlan | None = None
    new_port: int = 0
    """The port to save if another program uses the configured one; 0 to leave it as it is."""
    me: CurrentUser | None = None
    """The user who is signed in already."""
    has_key: bool = False

    @property
    def is_own(self) -> bool:
        """Whether this user runs the server."""
        return self.start is not None or running_servers.find_running(self.url) is not None


def plan(url: str | None) -> ServerPlan:
    """Choose the named server, the one this user is signed in to, or one on this machine."""
    configured = profile.configured_url()
    wanted = login.check_address(url or login.default_url(configured))
    version = local_server.find_version(wanted)
    running = running_servers.list_running()
    if version is None and url is None and configured is None and running:
        wanted = running[0].url
        version = local_server.find_version(wanted)
    is_named = url is not None or configured is not None or wanted != profile.DEFAULT_URL
    if version is not None and not is_named and running_servers.find_running(wanted) is None:
        raise CommandError(
            f"you did not start the server at {wanted}; to use it, run loremark setup --url {wanted}; "
            "to start your own, set LOREMARK_PORT to another port",
            USAGE,
        )
    has_key = _saved_key(wanted) is not None
    if version is not None:
        return ServerPlan(wanted, version, me=_find_user(wanted), has_key=has_key)
    if not login.is_local(wanted):
        raise CommandError(
            f"cannot reach {wanted}; check the address and your network, or use a server on this machine: "
            f"loremark setup --url {profile.DEFAULT_URL}"
        )
    start = local_server.plan_start()
    if start.settings.local_url != wanted and (url is not None or has_key):
        raise CommandError(
            f"no server is running at {wanted}; start it, or use one at {start.settings.local_url}: "
            f"loremark setup --url {start.settings.local_url}"
        )
    return _plan_start(start, has_key=has_key)


def _plan_start(start: StartPlan, *, has_key: bool) -> ServerPlan:
    settings = start.settings
    is_fixed = "LOREMARK_PORT" in environment_with(start.environment) or settings.port != _default_port()
    port = settings.port if is_fixed else local_server.free_port(settings)
    if port == settings.port:
        return ServerPlan(settings.local_url, start=start, has_key=has_key)
    return ServerPlan(settings.local_url.rpartition(":")[0] + f":{port}", start=start, new_port=port)


def _default_port() -> int:
    return int(profile.DEFAULT_URL.rpartition(":")[2])


def describe(plan: ServerPlan) -> Step:
    """The server, before anything is done."""
    if plan.start is None:
        own = running_servers.find_running(plan.url)
        where = (f"Data: {shorten(own.data_dir)}",) if own is not None else ()
        return Step("Server", "unchanged", f"{plan.url} is running version {plan.version}", where)
    details: tuple[str, ...] = (
        f"Data: {shorten(plan.start.settings.data_dir)}",
        f"Log: {shorten(local_server.log_path())}",
        "It keeps running in the background until: loremark stop",
    )
    if plan.new_port:
        config = shorten(plan.start.settings.config_file)
        details = (f"Port {_default_port()} is in use; port {plan.new_port} is saved in {config}", *details)
    return Step("Server", "planned", f"Start one on this machine, at {plan.url}", details)


def run(plan: ServerPlan) -> Step:
    """Start the server if necessary."""
    if plan.start is None:
        return describe(plan)
    if plan.new_port:
        local_server.save_port(plan.start.settings, plan.new_port)
    output.progress(f"Starting a server at {plan.url}. The first start takes a few seconds…")
    try:
        record = local_server.start(plan.start)
    finally:
        output.clear_progress()
    details = describe(plan).details
    return Step("Server", "done", f"Started version {record.version} at {record.url}", details)


def describe_sign_in(plan: ServerPlan) -> Step:
    """The sign-in, before anything is done."""
    if plan.me is not None:
        return _signed_in(plan.me)
    if plan.start is not None and plan.has_key:
        return Step("Sign-in", "unchanged", "Your API key is saved")
    where = f"An API key is saved in {shorten(profile.location())}"
    if plan.start is not None or running_servers.find_running(plan.url) is not None:
        return Step("Sign-in", "planned", "Sign in as the owner of your server, without a password", (where,))
    return Step("Sign-in", "planned", f"Sign in to {plan.url} with your browser", (where,))


def sign_in(plan: ServerPlan, open_database: OpenDatabase, *, may_ask: bool) -> Step:
    """Sign in, unless the saved key is valid."""
    me = plan.me or _find_user(plan.url)
    if me is not None:
        return _signed_in(me)
    if profile.has_environment_key():
        raise CommandError(f"{plan.url} rejects the key in LOREMARK_API_KEY; set another one or unset it", SIGNED_OUT)
    key = _sign_in_to_own(plan, open_database) or _sign_in_with_browser(plan, may_ask=may_ask)
    me, path = login.save_key(plan.url, key)
    return _signed_in(me)._replace(state="done", details=(f"Saved in {shorten(path)}",))


def _sign_in_to_own(plan: ServerPlan, open_database: OpenDatabase) -> str | None:
    """Sign in through the server's database, if it is this user's and can be opened."""
    own = running_servers.find_running(plan.url)
    if own is None or not own.on_sqlite:
        return None
    try:
        return open_database(own)
    except CommandError as error:
        output.note(f"Cannot sign in through the server's data folder: {error}")
        return None


def _sign_in_with_browser(plan: ServerPlan, *, may_ask: bool) -> str:
    if not may_ask:
        raise CommandError(
            f"not signed in to {plan.url}; run loremark login --url {plan.url} --browser, then this again", SIGNED_OUT
        )
    from loremark.cli import browser_login

    return browser_login.sign_in(plan.url)


def _signed_in(me: CurrentUser) -> Step:
    return Step("Sign-in", "unchanged", f"{me.name} <{me.email}> ({me.role} of {me.team_name})")


def _saved_key(url: str) -> str | None:
    saved = profile.load()
    return saved.key if saved is not None and saved.url == url else None


def _find_user(url: str) -> CurrentUser | None:
    """The user of the saved key, or None if the server does not accept it."""
    key = _saved_key(url)
    if key is None:
        return None
    with Client(url, key) as client:
        try:
            return client.send(get_me())
        except ApiError as error:
            if error.status == 401:
                return None
            raise CommandError(explain(error, url), USAGE) from None
