"""The checks of ``loremark doctor``, in the order in which one rests on the other."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from loremark.base import clock, profile
from loremark.cli.desk import OTHER_SERVER, is_key, look_around
from loremark.cli.offering import agents_here, captures_commits
from loremark.cli.signing import can_sign
from loremark.cli.trouble import look_at
from loremark.client.call import ApiError, Call
from loremark.client.calls.identity import get_me
from loremark.client.calls.projects import get_project
from loremark.client.client import Client
from loremark.client.line import Line
from loremark.hook import place

_SECONDS = 10.0
_SERVER = "see that it runs, or sign in to another: loremark login --url URL"
_SKEW_S = 60
"""A signature is good for five minutes; a clock that is a minute off will be further off soon."""
_OLD_MS = clock.HOUR_MS


class Check(NamedTuple):
    """``passed`` is None for what is not there and need not be."""

    name: str
    passed: bool | None
    words: str
    mend: str = ""


class _About(msgspec.Struct):
    version: str


class _Document(msgspec.Struct):
    info: _About


def check_all() -> Iterator[Check]:
    """Each check as it is done; where there is no server or no key, what needs them is left out."""
    yield from _program()
    found = profile.load()
    yield _signed_in(found)
    if found is not None and is_key(found.key):
        yield from _on_server(found)
    yield from _on_machine()


def _program() -> Iterator[Check]:
    there = shutil.which("loremark")
    if there is None:
        folder = os.path.dirname(os.path.abspath(sys.argv[0]))
        yield Check(
            "program",
            False,
            "loremark is not on the PATH, where git and the files of projects look for it",
            f"add {folder} to it",
        )
    else:
        yield Check("program", True, there)


def _signed_in(found: profile.Profile | None) -> Check:
    if found is None:
        return Check("login", False, "not signed in", "loremark login")
    if not is_key(found.key):
        return Check("login", False, "the API key holds characters that no key has", "loremark login")
    if profile.is_given():
        return Check("login", True, f"{found.url}, with the key of LOREMARK_API_KEY")
    path = profile.location()
    if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
        return Check("login", False, f"{path} can be read by others", f"chmod 600 {path}")
    return Check("login", True, f"{found.url}, with the key in {path}")


def _on_server(found: profile.Profile) -> Iterator[Check]:
    try:
        version, date = _greet(found.url)
    except ApiError as error:
        words, mend = look_at(error, found.url)
        yield Check("server", False, words, mend or _SERVER)
        return
    yield Check("server", True, f"{found.url} answers, version {version}")
    yield _clock(date)
    with Client(found.url, found.key, found.secrets, _SECONDS) as client:
        try:
            me = client.send(get_me())
        except ApiError as error:
            yield Check("key", False, str(error), "loremark login")
            return
        yield Check("key", True, f"{me.name} <{me.email}>, {me.role} of {me.team_name}")
        yield from _project(client, found)


def _greet(url: str) -> tuple[str, str]:
    """The server's version, and the time that it has."""
    with Client(url, None, seconds=_SECONDS) as client:
        version = client.send(Call(method="GET", path="/openapi.json", answer=_Document)).info.version
    line = Line(url, _SECONDS, _SECONDS)
    try:
        with line.exchange(Call(method="GET", path="/healthz", answer=bytes), {}) as answer:
            answer.read(10_000)
            return version, line.told(answer).get("date", "")
    except OSError as error:
        raise line.failure(error) from error
    finally:
        line.close()


def _clock(date: str) -> Check:
    from email.utils import parsedate_to_datetime

    try:
        ahead_s = clock.now_ms() / 1000 - parsedate_to_datetime(date).timestamp()
    except ValueError:
        return Check("clock", None, "the server does not tell the time")
    words = f"{abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} the server's"
    if abs(ahead_s) > _SKEW_S:
        return Check("clock", False, f"this machine's clock is {words}", "set the clock: signatures hold for 5 minutes")
    return Check("clock", True, "as the server's" if abs(ahead_s) <= 2 else words)


def _project(client: Client, found: profile.Profile) -> Iterator[Check]:
    link, why = look_around(os.getcwd())
    if link is None:
        is_wanted = OTHER_SERVER in why or place.find_repository(os.getcwd()) is not None
        yield Check(
            "project", False if is_wanted else None, f"{os.getcwd()}: {why}", "loremark init" if is_wanted else ""
        )
        return
    try:
        project = client.send(get_project(link.project))
    except ApiError as error:
        yield Check("project", False, f"{link.project}: {error}", "loremark init --project ID")
        return
    active = project.status == "active"
    words = f"{project.name} ({project.id}), for {link.folder}" + ("" if active else ": archived, nothing is taken")
    yield Check("project", active, words, "" if active else f"loremark projects update {project.id} --status active")
    yield _secret(found, link.project)


def _secret(found: profile.Profile, project: str) -> Check:
    secret = found.secrets.get(project)
    if not secret:
        return Check("secret", True, "none is kept to sign with: what is captured is sent with the key")
    with Client(found.url, None, {project: secret}, _SECONDS) as client:
        try:
            if can_sign(client, project):
                return Check("secret", True, "the server takes what is signed with it")
        except ApiError as error:
            return Check("secret", False, str(error))
    return Check("secret", False, "the server does not take it: it was renewed, or the clock is off", "loremark init")


def _on_machine() -> Iterator[Check]:
    yield _spool()
    yield _agents()
    yield _git_hooks()


def _spool() -> Check:
    from loremark.hook.flush import status

    told = status()
    if told.refused:
        return Check("spool", False, f"{told.refused} batches were refused: {told.last_error}", "loremark hook flush")
    if not told.waiting:
        return Check("spool", True, "nothing waits to be sent")
    age_ms = clock.now_ms() - told.oldest_ms if told.oldest_ms is not None else 0
    words = f"{told.waiting} wait to be sent, the oldest for {_span(age_ms)}"
    words += f"; last error: {told.last_error}" if told.last_error else ""
    return Check("spool", age_ms < _OLD_MS, words, "" if age_ms < _OLD_MS else "loremark hook flush")


def _span(ms: int) -> str:
    for size, unit in ((clock.DAY_MS, "d"), (clock.HOUR_MS, "h"), (clock.MINUTE_MS, "min")):
        if ms >= size:
            return f"{ms // size} {unit}"
    return f"{max(ms, 0) // 1000} s"


def _agents() -> Check:
    there = agents_here(os.getcwd())
    if not there:
        return Check("agents", None, "none is on this machine")
    words = ", ".join(f"{name} ({state})" for name, state in there.items())
    if "outdated" in there.values():
        return Check("agents", False, words, "loremark sync")
    if "installed" not in there.values():
        return Check("agents", None, words, "loremark install")
    return Check("agents", True, words)


def _git_hooks() -> Check:
    captured = captures_commits(os.getcwd()) if place.find_repository(os.getcwd()) is not None else None
    if captured is None:
        return Check("git", None, "this folder is in no repository")
    if captured:
        return Check("git", True, "commits are captured")
    return Check("git", None, "commits are not captured in this repository", "loremark init --git")
