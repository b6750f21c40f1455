"""Settings from the environment: defaults, parsing, and one-line errors for invalid values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loremark.base.folders import data_folder
from loremark.base.settings import Settings, SettingsError, load

Read = Callable[..., Settings]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Load settings with an empty data folder."""

    def _read(**environment: str) -> Settings:
        return load({"LOREMARK_DATA_DIR": str(tmp_path / "data"), **environment})

    return _read


def _error(read: Read, **environment: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read(**environment)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_defaults_keep_everything_in_the_data_folder(read: Read, tmp_path: Path) -> None:
    settings = read()
    data = tmp_path / "data"
    assert (settings.host, settings.port, settings.base_url) == ("127.0.0.1", 8000, "http://127.0.0.1:8000")
    assert settings.worker_url == "http://127.0.0.1:8000/worker"
    assert settings.on_sqlite
    assert settings.sqlite_path == data / "loremark.db"
    assert settings.blobs_url == (data / "blobs").as_uri()
    assert settings.mail_url == (data / "mail").as_uri()
    assert (settings.registration, settings.rate_limit_per_minute) == ("invite", 200)
    assert settings.webhook_retry_delays == (60, 300, 1800, 7200, 43200)


def test_unrelated_variables_are_ignored(read: Read) -> None:
    assert read(PORT="1", XLOREMARK_PORT="2", loremark_port="3").port == 8000


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("LOREMARK_PROT", "LOREMARK_PROT is not a Loremark setting; did you mean LOREMARK_PORT?"),
        (
            "LOREMARK_DATABSE_URL",
            "LOREMARK_DATABSE_URL is not a Loremark setting; did you mean LOREMARK_DATABASE_URL?",
        ),
        ("LOREMARK_LOGLEVEL", "LOREMARK_LOGLEVEL is not a Loremark setting; did you mean LOREMARK_LOG_LEVEL?"),
        ("LOREMARK_XYZZY", "LOREMARK_XYZZY is not a Loremark setting"),
        ("LOREMARK_", "LOREMARK_ is not a Loremark setting"),
        ("LOREMARK_port", "LOREMARK_port is not a Loremark setting; did you mean LOREMARK_PORT?"),
        ("LOREMARK_ORIGIN", "LOREMARK_ORIGIN is not a Loremark setting"),
    ],
)
def test_unknown_variable_error_suggests_the_closest_name(read: Read, variable: str, text: str) -> None:
    assert _error(read, **{variable: "1"}) == text


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("PORT", "http", "LOREMARK_PORT must be a whole number, not 'http'"),
        ("PORT", "", "LOREMARK_PORT must be a whole number, not ''"),
        ("PORT", "80.5", "LOREMARK_PORT must be a whole number, not '80.5'"),
        ("PORT", "-1", "LOREMARK_PORT must not be negative"),
        ("PORT", "65536", "LOREMARK_PORT must be between 0 and 65535"),
        ("AUTO_MIGRATE", "maybe", "LOREMARK_AUTO_MIGRATE must be true or false, not 'maybe'"),
        ("REGISTRATION", "Open", "LOREMARK_REGISTRATION must be one of open, invite, closed, not 'Open'"),
        ("LOG_LEVEL", "loud", "LOREMARK_LOG_LEVEL must be one of debug, info, warning, error, not 'loud'"),
        ("PAYMENTS", "cash", "LOREMARK_PAYMENTS must be one of local, stripe, not 'cash'"),
        ("WEBHOOK_RETRY_DELAYS", "60,soon", "LOREMARK_WEBHOOK_RETRY_DELAYS must be a whole number, not 'soon'"),
        ("DATABASE_URL", "mysql://x/y", "LOREMARK_DATABASE_URL must begin with postgresql:// or sqlite:///"),
        ("DATABASE_URL", "postgres://x/y", "LOREMARK_DATABASE_URL must begin with postgresql:// or sqlite:///"),
        ("DATABASE_URL", "loremark.db", "LOREMARK_DATABASE_URL must begin with postgresql:// or sqlite:///"),
        ("DATABASE_URL", "sqlite://loremark.db", "LOREMARK_DATABASE_URL must begin with postgresql:// or sqlite:///"),
        ("BASE_URL", "loremark.example.com", "LOREMARK_BASE_URL must begin with http:// or https://"),
        ("BASE_URL", "ftp://loremark.example.com", "LOREMARK_BASE_URL must begin with http:// or https://"),
        ("TRUSTED_PROXIES", "10.0.0.0/8,proxy", "LOREMARK_TRUSTED_PROXIES: 'proxy' is not an address or CIDR range"),
        ("TRUSTED_PROXIES", "10.0.0.0/33", "LOREMARK_TRUSTED_PROXIES: '10.0.0.0/33' is not an address or CIDR range"),
        (
            "ALLOWED_HOSTS",
            "a.example:8000",
            "LOREMARK_ALLOWED_HOSTS: 'a.example:8000' is not a host name; leave out any port",
        ),
        ("OUTBOUND_ALLOW", "*", "LOREMARK_OUTBOUND_ALLOW: '*' is not an address or CIDR range"),
    ],
)
def test_invalid_value_gives_a_one_line_error(read: Read, variable: str, value: str, text: str) -> None:
    assert _error(read, **{f"LOREMARK_{variable}": value}) == text


@pytest.mark.parametrize(
    ("words", "value"),
    [(("true", "True", "1", "yes", "on"), True), (("false", "FALSE", "0", "no", "off"), False)],
)
def test_booleans_accept_the_usual_words(read: Read, words: tuple[str, ...], value: bool) -> None:
    assert {read(LOREMARK_METER_BUILTIN=word).meter_builtin for word in words} == {value}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ()),
        ("10.0.0.0/8", ("10.0.0.0/8",)),
        (" 10.0.0.0/8 , ::1/128,", ("10.0.0.0/8", "::1/128")),
        ("192.0.2.7", ("192.0.2.7",)),
    ],
)
def test_lists_are_separated_by_commas(read: Read, text: str, found: tuple[str, ...]) -> None:
    assert read(LOREMARK_TRUSTED_PROXIES=text).trusted_proxies == found


@pytest.mark.parametrize(
    ("host", "port", "base_url"),
    [
        ("0.0.0.0", "80", "http://127.0.0.1:80"),
        ("::", "8000", "http://127.0.0.1:8000"),
        ("::1", "8000", "http://[::1]:8000"),
        ("10.1.2.3", "9", "http://10.1.2.3:9"),
        ("loremark.internal", "8000", "http://loremark.internal:8000"),
    ],
)
def test_base_url_defaults_to_host_and_port(read: Read, host: str, port: str, base_url: str) -> None:
    settings = read(LOREMARK_HOST=host, LOREMARK_PORT=port)
    assert settings.base_url == base_url
    assert settings.worker_url == f"{base_url}/worker"


def test_base_url_drops_its_trailing_slash_and_sets_the_worker_url(read: Read) -> None:
    settings = read(LOREMARK_BASE_URL="https://loremark.example.com/")
    assert settings.base_url == "https://loremark.example.com"
    assert settings.worker_url == "https://loremark.example.com/worker"


def test_worker_url_may_differ_or_be_disabled(read: Read) -> None:
    assert read(LOREMARK_WORKER_URL="https://answers.example.com/").worker_url == "https://answers.example.com"
    assert read(LOREMARK_WORKER_URL="").worker_url == ""


@pytest.mark.parametrize(
    ("url", "path"),
    [("sqlite:////var/lib/loremark.db", "/var/lib/loremark.db"), ("sqlite:///beside.db", "beside.db")],
)
def test_sqlite_urls_may_be_absolute_or_relative(read: Read, url: str, path: str) -> None:
    settings = read(LOREMARK_DATABASE_URL=url)
    assert (settings.on_sqlite, settings.sqlite_path) == (True, Path(path))


def test_postgresql_is_detected_from_the_url(read: Read) -> None:
    assert not read(LOREMARK_DATABASE_URL="postgresql://u:p@h/db").on_sqlite


def test_unusual_folder_names_are_escaped_in_urls(tmp_path: Path) -> None:
    data = tmp_path / "my data é"
    settings = load({"LOREMARK_DATA_DIR": str(data)})
    assert settings.blobs_url == (data / "blobs").as_uri()
    assert " " not in settings.blobs_url


def test_empty_data_dir_variable_means_the_default(tmp_path: Path) -> None:
    environment = {"LOREMARK_DATA_DIR": "", "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "xdg")}
    assert load(environment).data_dir == Path(data_folder(environment))


def test_tilde_expands_to_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load({"LOREMARK_DATA_DIR": "~/loremark"}).data_dir == tmp_path / "loremark"
