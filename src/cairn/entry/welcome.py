"""What ``cairn serve`` prints when it is up."""

from __future__ import annotations

import sys
from pathlib import Path

from cairn.base.folders import data_folder
from cairn.base.settings import Settings, settings_file
from cairn.entry.application import VERSION
from cairn.entry.house import House
from cairn.features.identity import store as people
from cairn.features.identity.service import FIRST_ACCOUNT


def signin_address(base_url: str, token: str) -> str:
    return f"{base_url}/signin?token={token}"


def _command(settings: Settings) -> str:
    """How to call this very program on this very data, from where it was started."""
    is_default = settings.data_dir == Path(data_folder())
    return f"{'' if is_default else f'CAIRN_DATA_DIR={settings.data_dir} '}{sys.argv[0]}"


async def welcome(house: House) -> str:
    """Where to open the dashboard (the first time by a one-time link) and how to connect an agent."""
    settings = house.settings
    command = _command(settings)
    lines = [f"Cairn {VERSION} is running at {settings.base_url}", ""]
    async with house.database.write() as tx:
        if await people.find_claim(tx, FIRST_ACCOUNT) is None and settings.registration != "closed":
            await people.end_open_links(tx)
            token = await people.create_link(tx, None)
            lines += [
                "  Open the dashboard. This link makes you the owner and signs you in; it works once, for 24 hours:",
                f"    {signin_address(settings.base_url, token)}",
            ]
        else:
            lines += [
                f"  Dashboard   {settings.base_url}",
                f"  No way in?  {command} admin signin-link",
            ]
    found = settings_file(Path.cwd(), settings.data_dir)
    where = settings.sqlite_path if settings.on_sqlite else "PostgreSQL"
    lines += [
        "",
        "  Connect an agent or a script: make a key in the dashboard, or here:",
        f"    {command} admin create-owner --email you@example.com --team 'My team' --json",
        f"  Then, with that key, in the folder of your project: {sys.argv[0]} login, init, install",
        "",
        f"  Interface   {settings.base_url}/docs",
        f"  Data        {where}",
        *([f"  Settings    {found} (and the environment)"] if found is not None else []),
        "  Stop        Ctrl-C",
        "",
    ]
    return "\n".join(lines)
