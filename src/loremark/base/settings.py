"""All server settings. The only module that reads the environment.

A setting is an environment variable with the prefix ``LOREMARK_``, or the same name in ``loremark.toml`` in the data
folder, or in the file that ``LOREMARK_CONFIG_FILE`` names. Never in the current folder: that may be somebody else's
repository. The environment wins. An unknown name or an invalid value stops startup with a one-line error.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import os
import re
import tomllib
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from loremark.base.folders import cache_folder, data_folder
from loremark.base.setting_values import parse

PREFIX = "LOREMARK_"
FILE = "loremark.toml"
GENERATED = "{generated}"
"""Placeholder for a secret generated in the data directory. An empty value means no secret."""
CLIENT_VARIABLES = ("LOREMARK_URL", "LOREMARK_API_KEY", "LOREMARK_PROJECT", "LOREMARK_HMAC_SECRET")
"""Read by the CLI, the hook and the MCP server; the server ignores them."""
DEFAULT_ROUTE_LIMITS = "login=10/minute,code=20/hour,invite=10/hour,ask=30/minute,genesis.start=6/hour"
_ALLOWED_HOST = re.compile(r"\*|(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
T = TypeVar("T")


class SettingsError(Exception):
    """A setting is unknown or invalid; the message is one line for the operator."""


def _setting(default: T, doc: str, *, secret: bool = False, shown: str | None = None) -> T:
    """Declare a field of ``Settings``. ``shown``: how the documentation describes the default."""
    return dataclasses.field(default=default, metadata={"doc": doc, "secret": secret, "shown": shown})


Registration = Literal["open", "invite", "closed"]
Payments = Literal["local", "stripe"]
LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["auto", "text", "json"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The parsed settings. Field ``x_y`` is set by ``LOREMARK_X_Y``."""

    host: str = _setting("127.0.0.1", "Address to listen on.")
    port: int = _setting(8000, "Port to listen on.")
    data_dir: Path = _setting(
        Path(),
        "Folder for the SQLite database, blobs, keys (mode 0600) and email files.",
        shown="the platform's data folder",
    )
    config_file: Path = _setting(
        Path(), "File to read settings from.", shown="`loremark.toml` in the data folder, if it exists"
    )
    cache_dir: Path = _setting(
        Path(),
        "Folder for data that can be regenerated: prepared models and repository mirrors.",
        shown="the platform's cache folder",
    )
    database_url: str = _setting(
        "", "SQLite (`sqlite:///path`) or PostgreSQL (`postgresql://…`).", shown="SQLite in the data folder"
    )
    database_pool: int = _setting(10, "PostgreSQL connections per process, or reader threads on SQLite.")
    auto_migrate: bool = _setting(
        True,
        "Run migrations on `loremark serve` with PostgreSQL. With SQLite they always run.",
    )
    redis_url: str = _setting("", "Redis URL for rate limits shared between processes.", shown="in-memory limits")
    blobs_url: str = _setting("", "Blob storage: `file://…` or `s3://bucket/prefix`.", shown="files in the data folder")
    s3_endpoint: str = _setting("", "Endpoint of an S3-compatible server other than AWS.", shown="none")
    base_url: str = _setting("", "Public URL of the API.", shown="http://HOST:PORT")
    allowed_hosts: tuple[str, ...] = _setting(
        (),
        "Additional host names to accept requests for, besides those in `LOREMARK_BASE_URL` and "
        "`LOREMARK_WORKER_URL`, loopback names and IP addresses. `*.example.com` allows all subdomains, `*` any name.",
        shown="none",
    )
    worker_url: str = _setting(
        "{base}/worker",
        "URL of the answer worker. Empty disables Ask (503).",
        shown="BASE_URL/worker",
    )
    worker_secret: str = _setting(
        GENERATED,
        "Secret that signs Ask tickets, shared by the API and the worker. Empty disables Ask (503).",
        secret=True,
        shown="generated in the data folder",
    )
    encryption_key: str = _setting(
        "",
        "Key that encrypts stored secrets (32 bytes, base64). All servers on one database must share it.",
        secret=True,
        shown="generated in the data folder",
    )
    registration: Registration = _setting(
        "invite",
        "Who can register: `open`, `invite` (the first account needs no invitation, but from another machine, or if "
        "`LOREMARK_BASE_URL` is not a loopback address, it needs the link printed at startup) or `closed`.",
    )
    rate_limit_per_minute: int = _setting(200, "Requests per minute per IP address. 0 disables the limit.")
    route_limits: str = _setting(
        DEFAULT_ROUTE_LIMITS,
        "Per-route limits, `name=count/window`. `name=0` disables one; routes not listed keep their default. `login` "
        "is counted per account and address, and per address alone with five times the limit. `code` counts two-factor "
        "codes that come with the right password, per account. `invite` counts invitations per invited address, and "
        "per team with 30 times the limit.",
    )
    trusted_proxies: tuple[str, ...] = _setting(
        (),
        "CIDR ranges of proxies whose `X-Forwarded-For` header is trusted.",
        shown="none",
    )
    default_plan: str = _setting("team", "Plan for new teams.")
    plans_file: str = _setting("", "TOML file that overrides plans and credit packs.", shown="none")
    meter_builtin: bool = _setting(False, "Count the built-in engine's tokens against the quota.")
    llm_small: str = _setting("builtin", "Small model: `builtin`, `openai:<model>` or `anthropic:<model>`.")
    llm_medium: str = _setting("builtin", "Medium model, in the same format.")
    llm_base_url: str = _setting(
        "", "URL of a compatible model server such as Ollama or vLLM.", shown="the provider's API"
    )
    llm_api_key: str = _setting("", "API key for the model server.", secret=True, shown="none")
    llm_small_base_url: str = _setting(
        "",
        "URL for the small model only. If it has its own URL or key, it uses neither of the shared ones.",
        shown="`LOREMARK_LLM_BASE_URL`",
    )
    llm_small_api_key: str = _setting(
        "", "API key for the small model only.", secret=True, shown="`LOREMARK_LLM_API_KEY`"
    )
    llm_timeout_s: int = _setting(60, "Timeout of a model call, in seconds.")
    embeddings: str = _setting("builtin", "Embedding model: `builtin`, `builtin:fp32` or `openai:<model>`.")
    embeddings_base_url: str = _setting(
        "",
        "URL for embeddings only. If they have their own URL or key, they use neither of the shared ones.",
        shown="`LOREMARK_LLM_BASE_URL`",
    )
    embeddings_api_key: str = _setting("", "API key for embeddings only.", secret=True, shown="`LOREMARK_LLM_API_KEY`")
    index_cache_mb: int = _setting(512, "Megabytes of search indexes each process keeps in memory.")
    mail_url: str = _setting(
        "",
        "Email: `file://folder` (one .eml file per message), `smtp://user:pass@host:port`, or `smtps://…` for implicit "
        "TLS.",
        shown="files in the data folder",
    )
    mail_from: str = _setting("Loremark <loremark@localhost>", "Sender address of emails.")
    payments: Payments = _setting(
        "local",
        "Payment provider: `stripe`, or `local`, which charges no money. With `local`, owners can order plans and "
        "credits only on loopback; elsewhere, the operator grants them with `loremark admin grant`.",
    )
    stripe_api_key: str = _setting("", "Secret key of the Stripe account.", secret=True, shown="none")
    stripe_webhook_secret: str = _setting(
        "", "Signing secret of the Stripe endpoint `/api/billing/webhook/stripe`.", secret=True, shown="none"
    )
    stripe_base_url: str = _setting("", "URL of a Stripe-compatible server, for tests.", shown="Stripe's API")
    repo_hosts: tuple[str, ...] = _setting(
        ("github.com", "gitlab.com", "bitbucket.org"),
        "Repository hosts (`host[:port]`) allowed in a project's repoUrl.",
    )
    outbound_allow: tuple[str, ...] = _setting(
        (), "CIDR ranges of private addresses that outbound requests may reach.", shown="none"
    )
    ca_file: str = _setting("", "Extra CA certificate file for outbound TLS.", shown="none")
    webhook_retry_delays: tuple[int, ...] = _setting(
        (60, 300, 1800, 7200, 43200), "Seconds before each retry of a webhook delivery."
    )
    scan_cpu_s: int = _setting(
        600,
        "Maximum CPU seconds for parsing a large repository. A small one gets 5% of that, plus more for each megabyte.",
    )
    audit_retention_days: int = _setting(
        0,
        "Days after which audit entries are deleted. 0 keeps them. Role changes of members and changes of webhooks are "
        "kept as long as these exist.",
    )
    session_window_s: int = _setting(14_400, "Seconds of inactivity after which a capture session ends.")
    ticket_ttl_s: int = _setting(60, "Seconds an Ask ticket is valid.")
    keepalive_s: int = _setting(5, "Seconds between keep-alive comments in a stream.")
    log_level: LogLevel = _setting("info", "Minimum log level.")
    log_format: LogFormat = _setting("auto", "`text`, `json`, or `auto` (text on a terminal).")

    @property
    def origin(self) -> str:
        """The base URL without a trailing slash."""
        return self.base_url or self.local_url

    @property
    def local_url(self) -> str:
        """The address for programs on this machine."""
        return f"http://{_host_in_url(self.host)}:{self.port}"

    @property
    def sends_email(self) -> bool:
        return not self.mail_url.startswith("file:")

    @property
    def on_sqlite(self) -> bool:
        return not self.database_url.startswith(("postgresql:", "postgres:"))

    @property
    def sqlite_path(self) -> Path:
        if self.database_url:
            return Path(self.database_url.removeprefix("sqlite://").removeprefix("/") or "loremark.db")
        return self.data_dir / "loremark.db"


def _host_in_url(host: str) -> str:
    if host in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def limit_numpy_threads() -> None:
    """Make numpy use one thread. Call before numpy is imported.

    For typical projects its thread pool takes four times the CPU and is no faster.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def environment_with(changes: Mapping[str, str]) -> dict[str, str]:
    """The environment of this process with these changes, for a child process or ``load``."""
    return {**os.environ, **changes}


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from the environment and the settings file."""
    environment = os.environ if environment is None else environment
    given = {
        name: value for name, value in environment.items() if name.startswith(PREFIX) and name not in CLIENT_VARIABLES
    }
    for name in ("LOREMARK_DATA_DIR", "LOREMARK_CONFIG_FILE"):
        if not given.get(name):
            given.pop(name, None)  # empty means the default
    data_dir = Path(given.get("LOREMARK_DATA_DIR") or data_folder(environment)).expanduser()
    file = Path(given.get("LOREMARK_CONFIG_FILE") or data_dir / FILE).expanduser()
    values: dict[str, object] = {**_read_file(file, is_required="LOREMARK_CONFIG_FILE" in given), **given}
    parsed = {**_parse_all(values), "config_file": file}
    parsed.setdefault("data_dir", data_dir)
    if not parsed.get("cache_dir") or parsed["cache_dir"] == Path():
        parsed["cache_dir"] = Path(cache_folder(environment))
    settings = Settings(**parsed)
    return _validated(_with_derived(settings))


def _read_file(path: Path, *, is_required: bool) -> dict[str, object]:
    if not path.is_file():
        if is_required:
            raise SettingsError(f"LOREMARK_CONFIG_FILE: no such file: {path}")
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
    return {PREFIX + name.upper().removeprefix(PREFIX): value for name, value in content.items()}


def _parse_all(values: Mapping[str, object]) -> dict[str, Any]:
    hints = typing.get_type_hints(Settings)
    names = {field.name for field in dataclasses.fields(Settings)}
    parsed: dict[str, Any] = {}
    for variable, value in values.items():
        name = variable.removeprefix(PREFIX).lower()
        if name not in names or variable != variable.upper():
            raise SettingsError(f"{variable} is not a Loremark setting{_nearest(name, names)}")
        try:
            parsed[name] = parse(hints[name], value)
        except ValueError as error:
            raise SettingsError(f"{variable} {error}") from error
    return parsed


def _nearest(name: str, names: set[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, sorted(names), n=1)
    return f"; did you mean {PREFIX}{close[0].upper()}?" if close else ""


def _with_derived(settings: Settings) -> Settings:
    """Fill in settings that default to a value derived from others."""
    base_url = settings.origin.rstrip("/")
    return dataclasses.replace(
        settings,
        base_url=base_url,
        worker_url=settings.worker_url.replace("{base}", base_url).rstrip("/"),
        blobs_url=settings.blobs_url or (settings.data_dir / "blobs").absolute().as_uri(),
        mail_url=settings.mail_url or (settings.data_dir / "mail").absolute().as_uri(),
    )


def _validated(settings: Settings) -> Settings:
    if settings.port > 65_535:
        raise SettingsError("LOREMARK_PORT must be between 0 and 65535")
    if not settings.on_sqlite and not settings.database_url.startswith("postgresql://"):
        raise SettingsError("LOREMARK_DATABASE_URL must begin with postgresql:// or sqlite:///")
    if settings.on_sqlite and settings.database_url and not settings.database_url.startswith("sqlite:///"):
        raise SettingsError("LOREMARK_DATABASE_URL must begin with postgresql:// or sqlite:///")
    if not settings.base_url.startswith(("http://", "https://")):
        raise SettingsError("LOREMARK_BASE_URL must begin with http:// or https://")
    if settings.payments == "stripe" and not (settings.stripe_api_key and settings.stripe_webhook_secret):
        raise SettingsError("LOREMARK_PAYMENTS=stripe needs LOREMARK_STRIPE_API_KEY and LOREMARK_STRIPE_WEBHOOK_SECRET")
    for host in settings.allowed_hosts:
        if not _ALLOWED_HOST.fullmatch(host):
            raise SettingsError(f"LOREMARK_ALLOWED_HOSTS: {host!r} is not a host name; leave out any port")
    for name in ("trusted_proxies", "outbound_allow"):
        for entry in getattr(settings, name):
            try:
                ipaddress.ip_network(entry, strict=False)
            except ValueError:
                variable = PREFIX + name.upper()
                raise SettingsError(f"{variable}: {entry!r} is not an address or CIDR range") from None
    return settings
