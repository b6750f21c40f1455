"""The remote of a repository: its address is checked and pinned, its token sent in a header."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

from loremark.ports.git.failures import RepositoryFailed
from loremark.ports.git.process import Config
from loremark.ports.outbound.guard import Destination, Guard, HttpsUrl, OutboundRefused, Unresolved, parse_https

_TOKEN_USER = "x-access-token"  # noqa: S105  the hosts look at the token only; this name is GitHub's own for it


@dataclass(frozen=True)
class Remote:
    """Git configuration for an HTTPS remote, never passed by command line or file."""

    config: Config
    with_token: bool


def mirror_name(url: str) -> str:
    """Return the directory name of a repository: a hash of its normalized URL."""
    return hashlib.sha256(_plain(_parsed(url)).encode()).hexdigest()[:32]


def snapshots_name(place: str) -> str:
    """Return the directory name for snapshots, which have their own lock because fetching a tree may take long."""
    return f"{place}-tips"


def reader_name(owner: str, url: str, token: str | None) -> str:
    """Return the prefix of mirror names: each token has its own mirrors.

    So does each installation, because others may share the directory.
    """
    if not token:
        return f"{owner}-public"
    both = f"{_plain(_parsed(url))}\0{token}"
    return f"{owner}-{hashlib.sha256(both.encode()).hexdigest()[:16]}"


async def resolve_remote(url: str, token: str | None, guard: Guard, ca_file: str) -> Remote:
    """Resolve and check the host, and pin git to its addresses."""
    parsed = _parsed(url)
    plain = _plain(parsed)
    try:
        destination = await guard.resolve(plain)
    except OutboundRefused:
        raise RepositoryFailed("The repository's host resolves to a private or reserved address.") from None
    except Unresolved:
        raise RepositoryFailed("The repository's host name cannot be resolved.") from None
    config: Config = (
        ("remote.origin.url", plain),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialclonefilter", "blob:none"),
        ("http.followRedirects", "false"),
        ("http.proxy", ""),
        ("http.sslVerify", "true"),
        ("http.lowSpeedLimit", "100"),
        ("http.lowSpeedTime", "60"),
    )
    if parsed.literal is None:
        config += (("http.curloptResolve", _pin(destination)),)
    if ca_file:
        config += (("http.sslCAInfo", ca_file),)
    if token:
        credentials = base64.b64encode(f"{_TOKEN_USER}:{token}".encode()).decode()
        config += (("http.extraHeader", f"Authorization: Basic {credentials}"),)
    return Remote(config, bool(token))


def _parsed(url: str) -> HttpsUrl:
    try:
        parsed = parse_https(url)
    except OutboundRefused:
        parsed = None
    if parsed is None or "?" in parsed.target or not parsed.target.isascii() or not parsed.target.strip("/"):
        raise RepositoryFailed("The repository URL must have the form https://host/owner/repository.")
    return parsed


def _plain(parsed: HttpsUrl) -> str:
    host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
    return f"https://{host if parsed.port == 443 else f'{host}:{parsed.port}'}{parsed.target.rstrip('/')}"


def _pin(to: Destination) -> str:
    addresses = (f"[{address}]" if address.version == 6 else str(address) for address in to.addresses)
    return f"{to.host}:{to.port}:{','.join(addresses)}"
