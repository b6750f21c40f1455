"""What an operator can mend is one line on standard error and exit code 2; never a trace."""

from __future__ import annotations

import base64
import socket
from pathlib import Path

import pytest

from tests.entry.owner import make_owner
from tests.support.processes import Cairn, free_port


def _refused(cairn: Cairn, *command: str, **settings: str) -> str:
    """The line with which a command refuses to run."""
    changed = Cairn(cairn.folder, cairn.database_url, {**cairn.settings, **settings})
    ended = changed.run(*command, check=False)
    assert ended.returncode == 2, ended
    assert ended.stdout == ""
    lines = ended.stderr.splitlines()
    assert len(lines) == 1, ended.stderr
    assert lines[0].startswith("cairn: ")
    return lines[0].removeprefix("cairn: ")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("CAIRN_PROT", "1", "CAIRN_PROT is not a setting of Cairn; did you mean CAIRN_PORT?"),
        ("CAIRN_PORT", "eighty", "CAIRN_PORT must be a whole number, not 'eighty'"),
        ("CAIRN_DATABASE_URL", "mysql://x/y", "CAIRN_DATABASE_URL must begin with postgresql:// or sqlite:///"),
    ],
)
def test_an_unknown_setting_or_a_bad_value_is_named(plain: Cairn, name: str, value: str, words: str) -> None:
    assert _refused(plain, "serve", **{name: value}) == words


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"CAIRN_ROUTE_LIMITS": "login=often"}, "CAIRN_ROUTE_LIMITS"),
        ({"CAIRN_PLANS_FILE": "/no/such/plans.toml"}, "CAIRN_PLANS_FILE"),
        ({"CAIRN_BLOBS_URL": "ftp://x"}, "CAIRN_BLOBS_URL"),
        ({"CAIRN_ENCRYPTION_KEY": "short"}, "CAIRN_ENCRYPTION_KEY"),
        ({"CAIRN_REDIS_URL": "http://x"}, "CAIRN_REDIS_URL"),
        ({"CAIRN_HOST": "192.0.2.1"}, "CAIRN_HOST"),
    ],
)
def test_a_value_that_shows_itself_bad_later_is_named_as_well(
    plain: Cairn, settings: dict[str, str], words: str
) -> None:
    assert words in _refused(plain, "serve", CAIRN_PORT=str(free_port()), CAIRN_LOG_LEVEL="error", **settings)


def test_a_port_in_use_is_named_before_anything_starts(plain: Cairn) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = _refused(plain, "serve", CAIRN_PORT=str(port))
    assert words.startswith(f"Cannot listen on 127.0.0.1:{port} (Address already in use)")
    assert "CAIRN_PORT" in words
    assert not (plain.folder / "cairn.db").exists()


def test_a_second_server_on_the_same_folder_is_refused_and_the_first_goes_on(plain: Cairn) -> None:
    with plain.start() as first:
        first.wait_ready()
        words = _refused(plain, "serve", CAIRN_PORT=str(free_port()))
        assert words == f"Another Cairn server is running on {plain.folder}"
        with first.client() as http:
            assert http.get("/readyz").status_code == 200


def test_another_encryption_key_than_the_databases_is_refused(cairn: Cairn) -> None:
    make_owner(cairn)
    other = base64.b64encode(b"k" * 32).decode()
    words = _refused(cairn, "serve", CAIRN_ENCRYPTION_KEY=other, CAIRN_PORT=str(free_port()))
    assert words.startswith("CAIRN_ENCRYPTION_KEY (or keys/encryption.key in the data folder) is not the key")
    assert other not in words
    (cairn.folder / "keys" / "encryption.key").unlink()
    assert "is not the key" in _refused(cairn, "admin", "signin-link"), "a new file is made, and it is another key"


def test_a_data_folder_that_cannot_be_used_is_named(plain: Cairn) -> None:
    in_the_way = plain.folder / "a file"
    in_the_way.write_text("not a folder")
    assert str(in_the_way) in _refused(plain, "serve", CAIRN_DATA_DIR=str(in_the_way), CAIRN_PORT=str(free_port()))


def test_a_file_that_is_no_database_is_named_and_left_alone(plain: Cairn) -> None:
    letter = plain.folder / "letter.txt"
    letter.write_text("Dear diary, " * 1_000)
    words = _refused(plain, "serve", CAIRN_DATABASE_URL=f"sqlite:///{letter}", CAIRN_PORT=str(free_port()))
    assert "not a database" in words
    assert letter.read_text() == "Dear diary, " * 1_000


def test_a_postgresql_that_is_not_there_is_an_error_at_once(plain: Cairn) -> None:
    url = f"postgresql://somebody:secret-word@127.0.0.1:{free_port()}/cairn"
    words = _refused(plain, "api", CAIRN_DATABASE_URL=url, CAIRN_PORT=str(free_port()))
    assert words.startswith("PostgreSQL cannot be reached")
    assert "secret-word" not in words


def test_a_settings_file_that_cannot_be_read_is_named(plain: Cairn) -> None:
    path = plain.folder / "cairn.toml"
    path.write_text("port = ")
    assert str(path) in _refused(plain, "admin", "doctor")


def test_a_password_file_that_is_not_there_is_named(plain: Cairn, tmp_path: Path) -> None:
    missing = tmp_path / "no such file"
    command = ("admin", "create-owner", "--email", "a@example.com", "--team", "A", "--password-file", str(missing))
    assert str(missing) in _refused(plain, *command)
    assert not (plain.folder / "cairn.db").exists()
