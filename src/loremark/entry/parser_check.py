"""Says what confines the process that parses repositories on this machine."""

from __future__ import annotations

from loremark.features.genesis.sandboxed_parser import ParserUnavailable, list_protections
from loremark.ports.sandbox.child import Protection


async def check_parser() -> tuple[bool, str]:
    """Start a parser. It works without protections the system lacks, but what is missing is named."""
    try:
        protections = await list_protections()
    except ParserUnavailable as error:
        return False, str(error)
    return True, describe(protections)


def describe(protections: list[Protection]) -> str:
    active = ", ".join(one.name for one in protections if one.active)
    missing = ", ".join(one.name for one in protections if not one.active)
    return f"parsing is sandboxed with: {active}" + (f"; not available on this system: {missing}" if missing else "")
