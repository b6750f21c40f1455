"""What ``loremark serve`` prints when it is up."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from loremark.base import profile
from loremark.base.folders import data_folder
from loremark.base.settings import Settings, settings_file
from loremark.entry.application import VERSION
from loremark.entry.house import House
from loremark.features.identity import store as people
from loremark.features.identity.service import FIRST_ACCOUNT

_NAME = "loremark"


def signin_address(base_url: str, token: str) -> str:
    return f"{base_url}/signin?token={token}"


async def welcome(house: House) -> str:
    """Where to open the dashboard (the first time by a one-time link) and how to connect an agent."""
    settings = house.settings
    async with house.database.write() as tx:
        has_owner = await people.find_claim(tx, FIRST_ACCOUNT) is not None
        token = None
        if not has_owner and settings.registration != "closed":
            await people.end_open_links(tx)
            token = await people.create_link(tx, None)
    found = settings_file(Path.cwd(), settings.data_dir)
    where = settings.sqlite_path if settings.on_sqlite else "PostgreSQL"
    lines = [
        f"Loremark {VERSION} is running at {settings.base_url}",
        "",
        *_ways_in(settings, token, has_owner),
        "",
        *_connecting(settings),
        "",
        f"  Interface   {settings.base_url}/docs",
        f"  Data        {where}",
        *([f"  Settings    {found} (and the environment)"] if found is not None else []),
        "  Stop        Ctrl-C",
        "",
    ]
    return "\n".join(lines)


def _ways_in(settings: Settings, token: str | None, has_owner: bool) -> list[str]:
    """A second owner would have a team of their own, without what the first one's remembers: none is advised."""
    operator = f"{_on_this_data(settings)}{_program()} admin"
    if token is not None:
        lines = [
            "  Open the dashboard. This link makes you the owner and signs you in; it works once, for 24 hours:",
            f"    {signin_address(settings.base_url, token)}",
        ]
    else:
        lines = [f"  Dashboard   {settings.base_url}", f"  No way in?  {operator} signin-link"]
    if has_owner:
        return lines
    return [
        *lines,
        "  Without a browser, this makes an owner with a key instead:",
        f"    {operator} create-owner --email you@example.com --team 'My team' --json",
    ]


def _connecting(settings: Settings) -> list[str]:
    program = _program()
    return [
        "  Connect your agents, in the folder of your project:",
        f"    {program} login{_at(settings.base_url)} --browser",
        f"    {program} init",
        f"    {program} install",
        "  Without --browser, login asks for a key; the dashboard makes them.",
    ]


def _at(base_url: str) -> str:
    """The address, where ``login`` would take another by itself."""
    is_assumed = base_url == profile.USUAL_URL and profile.saved_url() in (None, base_url)
    return "" if is_assumed else f" --url {shlex.quote(base_url)}"


def _program() -> str:
    """How to call this very program, whatever the folder and the PATH."""
    ways = (os.path.abspath(sys.argv[0]), os.path.join(os.path.dirname(sys.executable), _NAME))
    return shlex.quote(next((way for way in ways if os.path.basename(way) == _NAME and os.path.isfile(way)), _NAME))


def _on_this_data(settings: Settings) -> str:
    """The variables by which a command finds what this process has; a password in an address is not shown."""
    given: dict[str, str] = {}
    if settings.data_dir != Path(data_folder()):
        given["LOREMARK_DATA_DIR"] = os.path.abspath(settings.data_dir)
    if settings.on_sqlite and settings.database_url:
        given["LOREMARK_DATABASE_URL"] = f"sqlite:///{os.path.abspath(settings.sqlite_path)}"
    if settings.base_url != profile.USUAL_URL:
        given["LOREMARK_BASE_URL"] = settings.base_url
    return "".join(f"{name}={shlex.quote(value)} " for name, value in given.items())
