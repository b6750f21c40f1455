"""What ``cairn serve`` prints when it is up."""

from __future__ import annotations

from cairn.entry.wiring import VERSION, House
from cairn.features.identity import store as people
from cairn.features.identity.service import FIRST_ACCOUNT


def signin_address(base_url: str, token: str) -> str:
    return f"{base_url}/signin?token={token}"


async def welcome(house: House) -> str:
    """Where to open the dashboard (the first time by a one-time link) and how to connect an agent."""
    settings = house.settings
    lines = [f"Cairn {VERSION} is running at {settings.base_url}", ""]
    async with house.database.write() as tx:
        is_new = await people.find_claim(tx, FIRST_ACCOUNT) is None
        if is_new and settings.registration != "closed":
            await people.end_open_links(tx)
            token = await people.create_link(tx, None)
            lines += [
                "  Open the dashboard (this link signs you in as the owner; it works once, for 24 hours):",
                f"    {signin_address(settings.base_url, token)}",
            ]
        else:
            lines += [
                f"  Dashboard   {settings.base_url}",
                "  No way in?  cairn admin signin-link",
            ]
    where = settings.sqlite_path if settings.on_sqlite else "PostgreSQL"
    lines += [
        "",
        "  Connect an agent or a script: make a key, then send it as a Bearer token:",
        "    cairn admin create-owner --email you@example.com --team 'My team' --json"
        if is_new
        else f"    curl -H 'Authorization: Bearer <key>' {settings.base_url}/api/projects",
        "",
        f"  Interface   {settings.base_url}/docs",
        f"  Data        {where}",
        "  Stop        Ctrl-C",
        "",
    ]
    return "\n".join(lines)
