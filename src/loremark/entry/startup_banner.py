"""The banner ``loremark serve`` prints at startup."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from loremark.base import profile
from loremark.base.folders import data_folder, is_temporary
from loremark.base.plans import load_plans
from loremark.base.settings import FILE, Settings
from loremark.entry.application import VERSION
from loremark.entry.local_sign_in import create_owner
from loremark.entry.runtime import Runtime
from loremark.features.identity import store as people
from loremark.features.identity.service import FIRST_ACCOUNT

_NAME = "loremark"


def signin_url(base_url: str, token: str) -> str:
    return f"{base_url}/signin?token={token}"


async def format_banner(runtime: Runtime, stop: str = "Ctrl-C", *, creates_owner: bool = False) -> str:
    """How to open the dashboard, with a one-time link on the first start, and how to set up a project.

    ``creates_owner``: create the owner of a fresh installation, instead of letting the first one register.
    """
    settings = runtime.settings
    async with runtime.database.write() as tx:
        owner = None
        if creates_owner:
            owner = await create_owner(tx, load_plans(settings.default_plan, settings.plans_file))
        has_owner = await people.find_claim(tx, FIRST_ACCOUNT) is not None
        token = None
        if owner is not None:
            token = await people.create_link(tx, owner.user_id)
        elif not has_owner and settings.registration != "closed":
            await people.invalidate_setup_links(tx)
            token = await people.create_link(tx, None)
    where = settings.sqlite_path if settings.on_sqlite else "PostgreSQL"
    lines = [
        f"Loremark {VERSION} is running at {settings.base_url}",
        "",
        *_sign_in_lines(settings, token, has_owner),
        "",
        *_setup_lines(settings),
        "",
        f"  API docs    {settings.base_url}/docs",
        f"  Data        {where}",
        *_settings_lines(settings),
        f"  Stop        {stop}",
        "",
    ]
    return "\n".join(lines)


def _settings_lines(settings: Settings) -> list[str]:
    lines = [f"  Settings    {settings.config_file} (and the environment)"] if settings.config_file.is_file() else []
    stray = Path.cwd() / FILE
    if stray.is_file() and not (settings.config_file.is_file() and stray.samefile(settings.config_file)):
        lines.append(f"  Not read    {stray}: move it to {settings.data_dir} or set LOREMARK_CONFIG_FILE")
    return lines


def _sign_in_lines(settings: Settings, token: str | None, has_owner: bool) -> list[str]:
    """Sign-in instructions. They suggest create-owner only while there is no owner: each owner gets a separate team."""
    given = "".join(f"{name}={shlex.quote(value)} " for name, value in environment(settings).items())
    admin = f"{given}{_program()} admin"
    if token is not None:
        lines = [
            "  Open the dashboard. This link signs you in as the owner. It works once and expires in 24 hours:",
            f"    {signin_url(settings.base_url, token)}",
        ]
    else:
        lines = [f"  Dashboard   {settings.base_url}"]
        lines += [f"  Sign in     {_program()} open"] if settings.on_sqlite else []
        lines += [f"  Locked out? {admin} signin-link"]
    if has_owner:
        return lines
    return [
        *lines,
        "  Without a browser, create an owner and an API key instead:",
        f"    {admin} create-owner --email you@example.com --team 'My team' --json",
    ]


def _setup_lines(settings: Settings) -> list[str]:
    command = f"setup{_url_option(settings.base_url)}"
    if is_temporary(sys.prefix):
        return [
            "  Set up a project. Install the command for good, then run setup in the project's folder:",
            "    uv tool install loremark        (or: pipx install loremark)",
            f"    {_NAME} {command}",
        ]
    return ["  Set up a project. In its folder, run:", f"    {_program()} {command}"]


def _url_option(base_url: str) -> str:
    """The --url option, unless ``setup`` would use this address by default."""
    is_default = base_url == profile.DEFAULT_URL and profile.saved_url() in (None, base_url)
    return "" if is_default else f" --url {shlex.quote(base_url)}"


def _program() -> str:
    """A command that runs this program from any folder."""
    candidates = (os.path.abspath(sys.argv[0]), os.path.join(os.path.dirname(sys.executable), _NAME))
    return shlex.quote(
        next((path for path in candidates if os.path.basename(path) == _NAME and os.path.isfile(path)), _NAME)
    )


def environment(settings: Settings) -> dict[str, str]:
    """Environment variables that point a command to this data. Never a URL with a password."""
    given: dict[str, str] = {}
    if settings.data_dir != Path(data_folder()):
        given["LOREMARK_DATA_DIR"] = os.path.abspath(settings.data_dir)
    if settings.config_file != settings.data_dir / FILE:
        given["LOREMARK_CONFIG_FILE"] = os.path.abspath(settings.config_file)
    if settings.on_sqlite and settings.database_url:
        given["LOREMARK_DATABASE_URL"] = f"sqlite:///{os.path.abspath(settings.sqlite_path)}"
    if settings.base_url != profile.DEFAULT_URL:
        given["LOREMARK_BASE_URL"] = settings.base_url
    return given
