"""Configuration errors are one line on standard error and exit code 2, never a traceback."""

from __future__ import annotations

import base64
import socket
from pathlib import Path

import pytest

from tests.entry.owner import make_owner
from tests.support.processes import Loremark, free_port


def _refused(loremark: Loremark, *command: str, **settings: str) -> str:
    """The error line of a command that fails to start."""
    changed = Loremark(loremark.folder, loremark.database_url, {**loremark.settings, **settings})
    ended = changed.run(*command, check=False)
    assert ended.returncode == 2, ended
    assert ended.stdout == ""
    lines = ended.stderr.splitlines()
    assert len(lines) == 1, ended.stderr
    assert lines[0].startswith("loremark: ")
    return lines[0].removeprefix("loremark: ")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("LOREMARK_PROT", "1", "LOREMARK_PROT is not a Loremark setting; did you mean LOREMARK_PORT?"),
        ("LOREMARK_PORT", "eighty", "LOREMARK_PORT must be a whole number, not 'eighty'"),
        ("LOREMARK_DATABASE_URL", "mysql://x/y", "LOREMARK_DATABASE_URL must begin with postgresql:// or sqlite:///"),
    ],
)
def test_unknown_or_invalid_setting(plain: Loremark, name: str, value: str, words: str) -> None:
    assert _refused(plain, "serve", **{name: value}) == words


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"LOREMARK_ROUTE_LIMITS": "login=often"}, "LOREMARK_ROUTE_LIMITS"),
        ({"LOREMARK_PLANS_FILE": "/no/such/plans.toml"}, "LOREMARK_PLANS_FILE"),
        ({"LOREMARK_BLOBS_URL": "ftp://x"}, "LOREMARK_BLOBS_URL"),
        ({"LOREMARK_ENCRYPTION_KEY": "short"}, "LOREMARK_ENCRYPTION_KEY"),
        ({"LOREMARK_REDIS_URL": "http://x"}, "LOREMARK_REDIS_URL"),
        ({"LOREMARK_HOST": "192.0.2.1"}, "LOREMARK_HOST"),
    ],
)
def test_invalid_value_found_later(plain: Loremark, settings: dict[str, str], words: str) -> None:
    assert words in _refused(plain, "serve", LOREMARK_PORT=str(free_port()), LOREMARK_LOG_LEVEL="error", **settings)


def test_port_in_use(plain: Loremark) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = _refused(plain, "serve", LOREMARK_PORT=str(port))
    assert words.startswith(f"Cannot listen on 127.0.0.1:{port} (Address already in use)")
    assert "LOREMARK_PORT" in words
    assert not (plain.folder / "loremark.db").exists()


def test_second_server_on_the_same_folder(plain: Loremark) -> None:
    with plain.start() as first:
        first.wait_ready()
        words = _refused(plain, "serve", LOREMARK_PORT=str(free_port()))
        assert words == f"Another Loremark server is already using {plain.folder}; stop it, or set LOREMARK_DATA_DIR"
        with first.client() as http:
            assert http.get("/readyz").status_code == 200


def test_wrong_encryption_key(loremark: Loremark) -> None:
    make_owner(loremark)
    other = base64.b64encode(b"k" * 32).decode()
    words = _refused(loremark, "serve", LOREMARK_ENCRYPTION_KEY=other, LOREMARK_PORT=str(free_port()))
    assert words.startswith("LOREMARK_ENCRYPTION_KEY (or keys/encryption.key in the data folder) does not match")
    assert other not in words
    (loremark.folder / "keys" / "encryption.key").unlink()
    assert "does not match" in _refused(loremark, "admin", "jobs", "list"), "a new key file is generated"


def test_unusable_data_folder(plain: Loremark) -> None:
    blocking_file = plain.folder / "a file"
    blocking_file.write_text("not a folder")
    assert str(blocking_file) in _refused(
        plain, "serve", LOREMARK_DATA_DIR=str(blocking_file), LOREMARK_PORT=str(free_port())
    )


def test_file_that_is_not_a_database(plain: Loremark) -> None:
    text_file = plain.folder / "letter.txt"
    text_file.write_text("Dear diary, " * 1_000)
    words = _refused(plain, "serve", LOREMARK_DATABASE_URL=f"sqlite:///{text_file}", LOREMARK_PORT=str(free_port()))
    assert "not a database" in words
    assert text_file.read_text() == "Dear diary, " * 1_000


def test_unreachable_postgresql(plain: Loremark) -> None:
    url = f"postgresql://somebody:secret-word@127.0.0.1:{free_port()}/loremark"
    words = _refused(plain, "api", LOREMARK_DATABASE_URL=url, LOREMARK_PORT=str(free_port()))
    assert words.startswith("cannot connect to PostgreSQL")
    assert "secret-word" not in words


def test_unreadable_settings_file(plain: Loremark) -> None:
    path = plain.folder / "loremark.toml"
    path.write_text("port = ")
    assert str(path) in _refused(plain, "admin", "doctor")


def test_missing_password_file(plain: Loremark, tmp_path: Path) -> None:
    missing = tmp_path / "no such file"
    command = ("admin", "create-owner", "--email", "a@example.com", "--team", "A", "--password-file", str(missing))
    assert str(missing) in _refused(plain, *command)
    assert not (plain.folder / "loremark.db").exists()
