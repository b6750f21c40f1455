"""Settings from a file in the data folder or an explicit one, never in the current folder; the environment wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from loremark.base.settings import Settings, SettingsError, load


class Folders:
    """A data folder that may contain a loremark.toml, and another folder."""

    def __init__(self, root: Path) -> None:
        self.other = root / "here"
        self.data = root / "data"
        self.other.mkdir()
        self.data.mkdir()

    def write(self, content: str, *, into: Path | None = None) -> None:
        ((into or self.data) / "loremark.toml").write_text(content, encoding="utf-8")

    def load(self, **environment: str) -> Settings:
        return load({"LOREMARK_DATA_DIR": str(self.data), **environment})

    def error(self) -> str:
        with pytest.raises(SettingsError) as caught:
            self.load()
        text = str(caught.value)
        assert "\n" not in text
        return text


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


def test_values_may_be_typed_or_text(folders: Folders) -> None:
    folders.write(
        """
        port = 9000
        auto_migrate = false
        registration = "open"
        trusted_proxies = ["10.0.0.0/8", "::1"]
        webhook_retry_delays = [1, 2]
        repo_hosts = "git.example.com, github.com"
        keepalive_s = "7"
        """
    )
    settings = folders.load()
    assert (settings.port, settings.auto_migrate, settings.registration) == (9000, False, "open")
    assert settings.trusted_proxies == ("10.0.0.0/8", "::1")
    assert settings.webhook_retry_delays == (1, 2)
    assert settings.repo_hosts == ("git.example.com", "github.com")
    assert settings.keepalive_s == 7
    assert settings.base_url == "http://127.0.0.1:9000"


def test_keys_may_use_variable_names(folders: Folders) -> None:
    folders.write("LOREMARK_PORT = 9000\nKEEPALIVE_S = 3")
    settings = folders.load()
    assert (settings.port, settings.keepalive_s) == (9000, 3)


def test_environment_overrides_the_file(folders: Folders) -> None:
    folders.write('port = 9000\nhost = "10.0.0.1"')
    settings = folders.load(LOREMARK_PORT="9001")
    assert (settings.host, settings.port) == ("10.0.0.1", 9001)


def test_a_file_in_the_current_folder_is_not_read(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may come with a cloned repository, and would decide where keys and data go."""
    folders.write("port = 9001", into=folders.other)
    monkeypatch.chdir(folders.other)
    assert folders.load().port == 8000


def test_an_explicit_file_is_read_instead_of_the_data_folders(folders: Folders) -> None:
    folders.write("port = 9002\nkeepalive_s = 9")
    folders.write("port = 9001", into=folders.other)
    path = folders.other / "loremark.toml"
    settings = folders.load(LOREMARK_CONFIG_FILE=str(path))
    assert (settings.port, settings.keepalive_s, settings.config_file) == (9001, 5, path)
    with pytest.raises(SettingsError, match="LOREMARK_CONFIG_FILE: no such file"):
        folders.load(LOREMARK_CONFIG_FILE=str(folders.other / "missing.toml"))


def test_an_explicit_file_may_set_the_data_folder(folders: Folders, tmp_path: Path) -> None:
    folders.write(f'data_dir = "{tmp_path / "elsewhere"}"', into=folders.other)
    settings = load({"HOME": str(tmp_path), "LOREMARK_CONFIG_FILE": str(folders.other / "loremark.toml")})
    assert settings.data_dir == tmp_path / "elsewhere"
    assert settings.blobs_url == (tmp_path / "elsewhere" / "blobs").as_uri()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("prot = 1", "LOREMARK_PROT is not a Loremark setting; did you mean LOREMARK_PORT?"),
        ("[server]\nport = 1", "LOREMARK_SERVER is not a Loremark setting"),
        ("port = 80.5", "LOREMARK_PORT must be a whole number, not 80.5"),
        ("port = true", "LOREMARK_PORT must be a whole number, not True"),
        ("port = -1", "LOREMARK_PORT must not be negative"),
        ("registration = 5", "LOREMARK_REGISTRATION must be one of open, invite, closed, not 5"),
        ("auto_migrate = 2", "LOREMARK_AUTO_MIGRATE must be true or false, not 2"),
        ("trusted_proxies = [1]", "LOREMARK_TRUSTED_PROXIES must be text, not 1"),
        ('webhook_retry_delays = ["x"]', "LOREMARK_WEBHOOK_RETRY_DELAYS must be a whole number, not 'x'"),
    ],
)
def test_invalid_setting_gives_a_one_line_error(folders: Folders, content: str, text: str) -> None:
    folders.write(content)
    assert folders.error() == text


@pytest.mark.parametrize(
    "content", ['mail_from = ["a", "b"]', "host = { name = 1 }", "base_url = 5", "llm_small = 3.5"]
)
def test_text_settings_reject_other_types(folders: Folders, content: str) -> None:
    folders.write(content)
    assert folders.error().startswith(f"LOREMARK_{content.split(' =')[0].upper()} must be")


@pytest.mark.parametrize("content", ["port = ", "port = 1\nport = 2", "= 5", "port = 1 2"])
def test_invalid_toml_error_names_the_file(folders: Folders, content: str) -> None:
    folders.write(content)
    assert folders.error().startswith(f"{folders.data / 'loremark.toml'} is not valid TOML: ")


def test_binary_file_error_names_the_file(folders: Folders) -> None:
    (folders.data / "loremark.toml").write_bytes(b"port = 1 # \xff\n")
    assert folders.error().startswith(f"{folders.data / 'loremark.toml'} is not valid TOML: ")


def test_empty_file_changes_nothing(folders: Folders) -> None:
    folders.write("")
    assert folders.load().port == 8000


def test_directory_with_the_file_name_is_ignored(folders: Folders) -> None:
    (folders.data / "loremark.toml").mkdir()
    assert folders.load().port == 8000
