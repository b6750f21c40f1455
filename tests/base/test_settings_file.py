"""loremark.toml: the same settings in a file, in the current folder or the data folder; the environment wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from loremark.base.settings import Settings, SettingsError, load


class Place:
    """A current folder and a data folder, each of which may hold a loremark.toml."""

    def __init__(self, root: Path) -> None:
        self.here = root / "here"
        self.data = root / "data"
        self.here.mkdir()
        self.data.mkdir()

    def write(self, content: str, *, into: Path | None = None) -> None:
        ((into or self.here) / "loremark.toml").write_text(content, encoding="utf-8")

    def load(self, **environment: str) -> Settings:
        return load({"LOREMARK_DATA_DIR": str(self.data), **environment}, folder=self.here)

    def refusal(self) -> str:
        with pytest.raises(SettingsError) as caught:
            self.load()
        text = str(caught.value)
        assert "\n" not in text
        return text


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_values_in_their_own_types_or_as_text(place: Place) -> None:
    place.write(
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
    settings = place.load()
    assert (settings.port, settings.auto_migrate, settings.registration) == (9000, False, "open")
    assert settings.trusted_proxies == ("10.0.0.0/8", "::1")
    assert settings.webhook_retry_delays == (1, 2)
    assert settings.repo_hosts == ("git.example.com", "github.com")
    assert settings.keepalive_s == 7
    assert settings.base_url == "http://127.0.0.1:9000"


def test_names_may_be_those_of_the_variables(place: Place) -> None:
    place.write("LOREMARK_PORT = 9000\nKEEPALIVE_S = 3")
    settings = place.load()
    assert (settings.port, settings.keepalive_s) == (9000, 3)


def test_the_environment_wins_over_the_file(place: Place) -> None:
    place.write('port = 9000\nhost = "10.0.0.1"')
    settings = place.load(LOREMARK_PORT="9001")
    assert (settings.host, settings.port) == ("10.0.0.1", 9001)


def test_the_file_here_is_taken_before_the_one_in_the_data_folder(place: Place) -> None:
    place.write("port = 9002\nkeepalive_s = 9", into=place.data)
    assert place.load().port == 9002
    place.write("port = 9001")
    settings = place.load()
    assert (settings.port, settings.keepalive_s) == (9001, 5), "one file is read, not two mixed"


def test_the_file_may_say_where_the_data_is(place: Place, tmp_path: Path) -> None:
    place.write(f'data_dir = "{tmp_path / "elsewhere"}"')
    settings = load({"HOME": str(tmp_path)}, folder=place.here)
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
def test_what_does_not_fit_is_one_clear_line(place: Place, content: str, text: str) -> None:
    place.write(content)
    assert place.refusal() == text


@pytest.mark.parametrize(
    "content", ['mail_from = ["a", "b"]', "host = { name = 1 }", "base_url = 5", "llm_small = 3.5"]
)
def test_a_text_setting_takes_only_text(place: Place, content: str) -> None:
    place.write(content)
    assert place.refusal().startswith(f"LOREMARK_{content.split(' =')[0].upper()} must be")


@pytest.mark.parametrize("content", ["port = ", "port = 1\nport = 2", "= 5", "port = 1 2"])
def test_a_file_that_is_not_toml_is_named(place: Place, content: str) -> None:
    place.write(content)
    assert place.refusal().startswith(f"{place.here / 'loremark.toml'} is not valid TOML: ")


def test_a_file_that_is_not_text_is_named(place: Place) -> None:
    (place.here / "loremark.toml").write_bytes(b"port = 1 # \xff\n")
    assert place.refusal().startswith(f"{place.here / 'loremark.toml'} is not valid TOML: ")


def test_an_empty_file_changes_nothing(place: Place) -> None:
    place.write("")
    assert place.load().port == 8000


def test_a_folder_of_that_name_is_not_a_file(place: Place) -> None:
    (place.here / "loremark.toml").mkdir()
    assert place.load().port == 8000
