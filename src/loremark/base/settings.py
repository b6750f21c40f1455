"""Everything an operator can set, and the only place that reads the environment.

A setting is an environment variable with the prefix ``LOREMARK_``, or the same name in ``loremark.toml`` (in the
current folder, else in the data folder). The environment wins. An unknown name or a bad value stops the
start with one clear line.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import os
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
"""Stands for a secret of our own in the data folder; set but empty means that there is to be none."""
OF_CLIENTS = ("LOREMARK_URL", "LOREMARK_API_KEY", "LOREMARK_PROJECT", "LOREMARK_HMAC_SECRET")
"""What the command line, the hook and the tool server read; a server that is started beside them takes no offence."""
DEFAULT_ROUTE_LIMITS = "login=10/minute,ask=30/minute,genesis.start=6/hour"
T = TypeVar("T")


class SettingsError(Exception):
    """A setting is unknown or has a bad value; the text is one line for the operator."""


def _setting(default: T, doc: str, *, secret: bool = False, shown: str | None = None) -> T:
    """A field of ``Settings``: its default, what it means, and how documentation shows the default."""
    return dataclasses.field(default=default, metadata={"doc": doc, "secret": secret, "shown": shown})


Registration = Literal["open", "invite", "closed"]
Payments = Literal["local", "stripe"]
LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["auto", "text", "json"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings as the house uses them. Field ``x_y`` is set by ``LOREMARK_X_Y``."""

    host: str = _setting("127.0.0.1", "Address to listen on.")
    port: int = _setting(8000, "Port to listen on.")
    data_dir: Path = _setting(
        Path(),
        "Folder of the SQLite file, blobs, keys (mode 0600) and mail.",
        shown="the platform's data folder",
    )
    cache_dir: Path = _setting(
        Path(),
        "Folder for what can be made again: prepared models, copies of repositories.",
        shown="the platform's cache folder",
    )
    database_url: str = _setting(
        "", "SQLite (`sqlite:///path`) or PostgreSQL (`postgresql://…`).", shown="SQLite in the data folder"
    )
    database_pool: int = _setting(10, "Connections a process keeps to PostgreSQL, or reader threads on SQLite.")
    auto_migrate: bool = _setting(
        True,
        "Whether `loremark serve` brings the schema up to date by itself on PostgreSQL. SQLite always does.",
    )
    redis_url: str = _setting("", "Redis for rate limits shared by several processes.", shown="limits in memory")
    blobs_url: str = _setting("", "`file://…` or `s3://bucket/prefix`.", shown="files in the data folder")
    s3_endpoint: str = _setting("", "Another S3-compatible server than the provider's own.", shown="none")
    base_url: str = _setting("", "The address under which people and agents reach the API.", shown="http://HOST:PORT")
    worker_url: str = _setting(
        "{base}/worker",
        "The address of the answer worker; empty switches Ask off (503).",
        shown="BASE_URL/worker",
    )
    worker_secret: str = _setting(
        GENERATED,
        "Signs Ask tickets; the API and the worker share it. Empty switches Ask off (503).",
        secret=True,
        shown="generated into the data folder",
    )
    encryption_key: str = _setting(
        "",
        "32 bytes in base64 that seal stored secrets; several machines on one database must share it.",
        secret=True,
        shown="generated into the data folder",
    )
    registration: Registration = _setting(
        "invite", "Who may register: `open`, `invite` (the first account is free), `closed`."
    )
    rate_limit_per_minute: int = _setting(200, "Requests a minute and address; 0 switches the limit off.")
    route_limits: str = _setting(
        DEFAULT_ROUTE_LIMITS,
        "Limits of single routes, `name=count/window` pairs; `name=0` switches one off, others keep their default.",
    )
    trusted_proxies: tuple[str, ...] = _setting(
        (),
        "CIDR ranges of proxies whose `X-Forwarded-For` is believed.",
        shown="none",
    )
    default_plan: str = _setting("team", "Plan of a new team.")
    plans_file: str = _setting("", "TOML file with other plans and packs of credits.", shown="none")
    meter_builtin: bool = _setting(False, "Count the built-in engine's tokens against the quota.")
    llm_small: str = _setting("builtin", "Small model: `builtin`, `openai:<model>` or `anthropic:<model>`.")
    llm_medium: str = _setting("builtin", "Medium model, in the same form.")
    llm_base_url: str = _setting(
        "", "Another server than the provider's own, such as Ollama or vLLM.", shown="the provider's"
    )
    llm_api_key: str = _setting("", "Key for the model server.", secret=True, shown="the provider's usual variable")
    llm_timeout_s: int = _setting(60, "Seconds that one call of a model may take.")
    embeddings: str = _setting("builtin", "Embedder: `builtin`, `builtin:fp32` or `openai:<model>`.")
    index_cache_mb: int = _setting(512, "Megabytes that a process keeps of projects' search indexes.")
    mail_url: str = _setting(
        "",
        "`file://folder` (one .eml a mail) or `smtp://user:pass@host:port`.",
        shown="files in the data folder",
    )
    mail_from: str = _setting("Loremark <loremark@localhost>", "Sender of our mail.")
    payments: Payments = _setting("local", "Payment provider: `local` (no money) or `stripe`.")
    stripe_api_key: str = _setting("", "Secret key of the Stripe account.", secret=True, shown="none")
    stripe_webhook_secret: str = _setting(
        "", "Signing secret of the Stripe endpoint `/api/billing/webhook/stripe`.", secret=True, shown="none"
    )
    stripe_base_url: str = _setting("", "Another server than Stripe's own, for tests.", shown="Stripe's")
    repo_hosts: tuple[str, ...] = _setting(
        ("github.com", "gitlab.com", "bitbucket.org"),
        "Hosts (`host[:port]`) that a project's repoUrl may name.",
    )
    outbound_allow: tuple[str, ...] = _setting(
        (), "CIDR ranges of private addresses that outbound calls may reach.", shown="none"
    )
    ca_file: str = _setting("", "An extra certificate authority for outbound TLS.", shown="none")
    webhook_retry_delays: tuple[int, ...] = _setting(
        (60, 300, 1800, 7200, 43200), "Seconds before each retry of a webhook delivery."
    )
    session_window_s: int = _setting(14_400, "Seconds of silence after which a capture session ends.")
    ticket_ttl_s: int = _setting(60, "Seconds an Ask ticket is valid.")
    keepalive_s: int = _setting(5, "Seconds between keep-alive comments in a stream.")
    log_level: LogLevel = _setting("info", "Least important messages that are logged.")
    log_format: LogFormat = _setting("auto", "`text`, `json`, or `auto` (text on a terminal).")

    @property
    def origin(self) -> str:
        """The base address without a trailing slash."""
        return self.base_url or f"http://{_host_in_url(self.host)}:{self.port}"

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


def keep_numpy_calm() -> None:
    """One thread for its products; to be called before it is loaded.

    For projects of a usual size its own threads take four times the CPU and no less time, and they take it from others.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def load(environment: Mapping[str, str] | None = None, *, folder: Path | None = None) -> Settings:
    """Read the settings from the environment and ``loremark.toml``."""
    environment = os.environ if environment is None else environment
    given = {name: value for name, value in environment.items() if name.startswith(PREFIX) and name not in OF_CLIENTS}
    if not given.get("LOREMARK_DATA_DIR"):
        given.pop("LOREMARK_DATA_DIR", None)  # set but empty means the usual place
    data_dir = Path(given.get("LOREMARK_DATA_DIR") or data_folder(environment)).expanduser()
    values: dict[str, object] = {**_read_file(folder or Path.cwd(), data_dir), **given}
    parsed = _parse_all(values)
    parsed.setdefault("data_dir", data_dir)
    if not parsed.get("cache_dir") or parsed["cache_dir"] == Path():
        parsed["cache_dir"] = Path(cache_folder(environment))
    settings = Settings(**parsed)
    return _checked(_with_derived(settings))


def settings_file(folder: Path, data_dir: Path) -> Path | None:
    """The file whose settings count, if there is one; whoever starts a server is told of it."""
    return next((path for path in (folder / FILE, data_dir / FILE) if path.is_file()), None)


def _read_file(folder: Path, data_dir: Path) -> dict[str, object]:
    path = settings_file(folder, data_dir)
    if path is None:
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
            raise SettingsError(f"{variable} is not a setting of Loremark{_nearest(name, names)}")
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
    """Fill in what depends on other settings."""
    base_url = settings.origin.rstrip("/")
    return dataclasses.replace(
        settings,
        base_url=base_url,
        worker_url=settings.worker_url.replace("{base}", base_url).rstrip("/"),
        blobs_url=settings.blobs_url or (settings.data_dir / "blobs").absolute().as_uri(),
        mail_url=settings.mail_url or (settings.data_dir / "mail").absolute().as_uri(),
    )


def _checked(settings: Settings) -> Settings:
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
    for name in ("trusted_proxies", "outbound_allow"):
        for entry in getattr(settings, name):
            try:
                ipaddress.ip_network(entry, strict=False)
            except ValueError:
                variable = PREFIX + name.upper()
                raise SettingsError(f"{variable}: {entry!r} is not an address or CIDR range") from None
    return settings
