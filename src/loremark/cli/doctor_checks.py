"""The checks of ``loremark doctor``. Later checks depend on earlier ones."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from loremark.base import clock, profile
from loremark.cli.connection import is_key, resolve_link
from loremark.cli.error_messages import diagnose
from loremark.cli.integrations import agent_states, has_git_hooks
from loremark.cli.models import TEST_TIMEOUT_S
from loremark.cli.models import describe as describe_model
from loremark.cli.pause import describe
from loremark.cli.secret_check import is_secret_accepted
from loremark.client.call import ApiError, Call
from loremark.client.calls.identity import get_me
from loremark.client.calls.models import list_models, run_model_test
from loremark.client.calls.projects import get_project
from loremark.client.client import Client
from loremark.client.http_connection import HttpConnection
from loremark.hook import gitpaths
from loremark.hook.capture_settings import has_invalid_exclude
from loremark.hook.link import FILE, OTHER_SERVER, UNCONFIRMED
from loremark.hook.pausing import find_pause

_TIMEOUT_S = 10.0
_SERVER_FIX = "check that the server is running, or use another one: loremark login --url URL"
_MAX_SKEW_S = 60
"""Signatures are valid for five minutes; a clock that is off by a minute is likely to drift further."""
_STALE_MS = clock.HOUR_MS


class Check(NamedTuple):
    """``passed`` is None if the check does not apply."""

    name: str
    passed: bool | None
    message: str
    fix: str = ""


class _Info(msgspec.Struct):
    version: str


class _Document(msgspec.Struct):
    info: _Info


def check_all() -> Iterator[Check]:
    """Run the checks. Without a server or a key, the checks that need them are skipped."""
    yield from _program()
    found = profile.load()
    yield _signed_in(found)
    if found is not None and is_key(found.key):
        yield from _on_server(found)
    yield from _on_machine()


def _program() -> Iterator[Check]:
    executable = shutil.which("loremark")
    if executable is None:
        folder = os.path.dirname(os.path.abspath(sys.argv[0]))
        yield Check(
            "program",
            False,
            "loremark is not on your PATH, so git hooks and agents cannot find it",
            f"add {folder} to your PATH",
        )
    else:
        yield Check("program", True, executable)


def _signed_in(found: profile.Profile | None) -> Check:
    if found is None:
        return Check("login", False, "not signed in", "loremark login")
    if not is_key(found.key):
        return Check("login", False, "the saved API key is invalid", "loremark login")
    if profile.has_environment_key():
        return Check("login", True, f"{found.url}, with the key from LOREMARK_API_KEY")
    path = profile.location()
    if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
        return Check("login", False, f"{path} is readable by other users", f"chmod 600 {path}")
    return Check("login", True, f"{found.url}, with the key from {path}")


def _on_server(found: profile.Profile) -> Iterator[Check]:
    try:
        version, date = _fetch_version_and_date(found.url)
    except ApiError as error:
        message, fix = diagnose(error, found.url)
        yield Check("server", False, message, fix or _SERVER_FIX)
        return
    yield Check("server", True, f"{found.url} is running version {version}")
    yield _clock(date)
    with Client(found.url, found.key, found.secrets, _TIMEOUT_S) as client:
        try:
            me = client.send(get_me())
        except ApiError as error:
            yield Check("key", False, str(error), "loremark login")
            return
        yield Check("key", True, f"{me.name} <{me.email}>, {me.role} of {me.team_name}")
        if me.role != "member":
            yield from _models(found)
        yield from _project(client, found)


def _models(found: profile.Profile) -> Iterator[Check]:
    """Test the language models and embeddings on other servers."""
    with Client(found.url, found.key, timeout_s=TEST_TIMEOUT_S) as client:
        try:
            models = [model for model in client.send(list_models()) if model.server is not None]
            for model in models:
                result = client.send(run_model_test(model.purpose))
                yield Check(
                    "model",
                    result.ok,
                    f"{model.purpose}: {describe_model(model)}. {result.message}",
                    ""
                    if result.ok
                    else "change the server's settings (docs/language-models.md), then: loremark models",
                )
        except ApiError as error:
            yield Check("model", False, str(error))
            return
    if not models:
        yield Check("model", None, "no language model; the built-in engine is used")


def _fetch_version_and_date(url: str) -> tuple[str, str]:
    """The server's version and its Date header."""
    with Client(url, None, timeout_s=_TIMEOUT_S) as client:
        version = client.send(Call(method="GET", path="/openapi.json", response_type=_Document)).info.version
    connection = HttpConnection(url, _TIMEOUT_S, _TIMEOUT_S)
    try:
        with connection.exchange(Call(method="GET", path="/healthz", response_type=bytes), {}) as response:
            response.read(10_000)
            return version, connection.response_headers(response).get("date", "")
    except OSError as error:
        raise connection.failure(error) from error
    finally:
        connection.close()


def _clock(date: str) -> Check:
    from email.utils import parsedate_to_datetime

    try:
        ahead_s = clock.now_ms() / 1000 - parsedate_to_datetime(date).timestamp()
    except ValueError:
        return Check("clock", None, "the server's response has no Date header")
    words = f"{abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} the server"
    if abs(ahead_s) > _MAX_SKEW_S:
        return Check(
            "clock", False, f"this machine's clock is {words}", "set the clock; signatures expire after 5 minutes"
        )
    return Check("clock", True, "in sync with the server" if abs(ahead_s) <= 2 else words)


def _project(client: Client, found: profile.Profile) -> Iterator[Check]:
    link, why = resolve_link(os.getcwd())
    if link is None:
        is_wanted = OTHER_SERVER in why or gitpaths.find_repository(os.getcwd()) is not None
        fix = "loremark link" if why == UNCONFIRMED else "loremark init"
        yield Check("project", False if is_wanted else None, f"{os.getcwd()}: {why}", fix if is_wanted else "")
        return
    try:
        project = client.send(get_project(link.project))
    except ApiError as error:
        yield Check("project", False, f"{link.project}: {error}", "loremark init --project ID")
        return
    active = project.status == "active"
    words = f"{project.name} ({project.id}), for {link.folder}" + ("" if active else " (archived; events are rejected)")
    yield Check("project", active, words, "" if active else f"loremark projects update {project.id} --status active")
    yield _secret(found, link.project)
    yield _agent_key(found, link.project)


def _agent_key(found: profile.Profile, project: str) -> Check:
    key = found.agent_keys.get(project)
    if key is None:
        fix = "" if profile.has_environment_key() else "loremark init"
        return Check("agent key", None, "agents use your own API key, which can do everything you can do", fix)
    with Client(found.url, key, timeout_s=_TIMEOUT_S) as client:
        try:
            client.send(get_project(project))
        except ApiError as error:
            return Check(
                "agent key", False, f"the agents' key for this project does not work: {error}", "loremark init"
            )
    return Check("agent key", True, "agents use a key of their own, limited to reading and capturing in this project")


def _secret(found: profile.Profile, project: str) -> Check:
    secret = found.secrets.get(project)
    if not secret:
        return Check("secret", True, "no signing secret saved; events are sent with the API key")
    with Client(found.url, None, {project: secret}, _TIMEOUT_S) as client:
        try:
            if is_secret_accepted(client, project):
                return Check("secret", True, "the server accepts the saved signing secret")
        except ApiError as error:
            return Check("secret", False, str(error))
    return Check(
        "secret",
        False,
        "the server rejects the saved signing secret: it was rotated, or the clock is wrong",
        "loremark init",
    )


def _on_machine() -> Iterator[Check]:
    yield _spool()
    yield _agents()
    yield _reading()
    yield _git_hooks()
    yield from _capture()


def _spool() -> Check:
    from loremark.cli.output import pluralize
    from loremark.hook import outbox
    from loremark.hook.flush import status

    queue = status()
    if queue.rejected:
        words = f"{pluralize(queue.rejected, 'batch', 'batches')} rejected: {queue.rejected_reason}"
        fix = f"retry with: loremark hook flush, or delete what you don't need in {outbox.rejected_folder()}"
        return Check("spool", False, words, fix)
    if not queue.waiting:
        return Check("spool", True, "no queued events")
    age_ms = clock.now_ms() - queue.oldest_ms if queue.oldest_ms is not None else 0
    words = f"{queue.waiting} queued, the oldest for {_format_duration(age_ms)}"
    words += f"; last error: {queue.last_error}" if queue.last_error else ""
    return Check("spool", age_ms < _STALE_MS, words, "" if age_ms < _STALE_MS else "loremark hook flush")


def _format_duration(ms: int) -> str:
    for size, unit in ((clock.DAY_MS, "d"), (clock.HOUR_MS, "h"), (clock.MINUTE_MS, "min")):
        if ms >= size:
            return f"{ms // size} {unit}"
    return f"{max(ms, 0) // 1000} s"


def _agents() -> Check:
    from loremark.agents import status

    states = agent_states(os.getcwd())
    if not states:
        return Check("agents", None, "no agents found on this machine")
    words = ", ".join(f"{name} ({state})" for name, state in states.items())
    if status.OUTDATED in states.values():
        return Check("agents", False, words, "loremark install")
    blocked = next((name for name, state in states.items() if state == status.BLOCKED), None)
    if blocked is not None:
        return Check("agents", None, words, f"to see why, run: loremark install {blocked} --dry-run")
    if status.INSTALLED not in states.values():
        return Check("agents", None, words, "loremark install")
    return Check("agents", True, words)


def _reading() -> Check:
    """Whether a coding agent reads finished sessions, what it used today, and why it failed last."""
    from loremark.cli.reading import describe, describe_use
    from loremark.hook import headless, reading_settings

    settings, last = reading_settings.load(), reading_settings.last_outcome()
    words = describe(settings, [agent for agent in sorted(headless.SUPPORTED) if headless.installed(agent)])
    if not settings.enabled:
        return Check("reading", None, words)
    if last.error:
        agent = headless.title(last.agent)
        fix = f"sign in to {agent}, or turn this off: loremark reading off"
        return Check("reading", False, f"the last reading by {agent} failed: {last.error}", fix)
    return Check("reading", True, f"{words} {describe_use(last)}")


def _capture() -> Iterator[Check]:
    """What keeps things from being captured in this folder."""
    pause = find_pause(os.getcwd())
    if pause is not None:
        yield Check("capture", None, describe(pause), "loremark resume")
    if has_invalid_exclude(os.path.realpath(os.getcwd())):
        yield Check(
            "exclude",
            False,
            f"exclude in {FILE} is not a list of strings, so no files or commands are captured",
            'write it like this: exclude = ["secrets/**", "*.pem"]',
        )


def _git_hooks() -> Check:
    captured = has_git_hooks(os.getcwd()) if gitpaths.find_repository(os.getcwd()) is not None else None
    if captured is None:
        return Check("git", None, "this folder is not in a git repository")
    if captured:
        return Check("git", True, "commits are captured")
    return Check("git", None, "commits are not captured in this repository", "loremark init --git")
