"""The client profile: the saved file, environment overrides, and keys bound to their server."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from loremark.base import profile
from loremark.base.profile import Profile

HOME_URL = "https://loremark.example.com"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def test_saved_profile_loads_and_is_private() -> None:
    path = profile.save(Profile(HOME_URL, "service_sk_mine", {"prj_1": "s"}, enrich=False))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    loaded = profile.load({})
    assert loaded is not None
    assert (loaded.url, loaded.key, loaded.secrets, loaded.enrich) == (
        HOME_URL,
        "service_sk_mine",
        {"prj_1": "s"},
        False,
    )
    assert profile.forget()
    assert profile.load({}) is None


def test_saved_key_is_not_sent_to_another_server() -> None:
    """A repository's agent settings can set the environment, so LOREMARK_URL must not redirect the key."""
    profile.save(Profile(HOME_URL, "service_sk_mine", {"prj_1": "s"}))
    assert profile.load({"LOREMARK_URL": "https://evil.example.net"}) is None
    other = profile.load({"LOREMARK_URL": "https://other.example.net", "LOREMARK_API_KEY": "service_sk_theirs"})
    assert other is not None
    assert (other.key, other.secrets) == ("service_sk_theirs", {})
    assert profile.load({"LOREMARK_URL": f"{HOME_URL}/"}) is not None, "the same server with a trailing slash"


def test_key_saved_without_a_server_is_ignored(home: Path) -> None:
    (home / "loremark").mkdir()
    (home / "loremark" / "profile.json").write_text(json.dumps({"key": "service_sk_mine"}))
    assert profile.load({}) is None
    assert profile.load({"LOREMARK_URL": "https://evil.example.net"}) is None


@pytest.mark.parametrize("content", ["", "[]", "{", '{"url": 7, "key": []}', "[" * 100_000, '{"secrets": "x"}'])
def test_invalid_profile_file_is_ignored(home: Path, content: str) -> None:
    (home / "loremark").mkdir()
    (home / "loremark" / "profile.json").write_text(content)
    assert profile.load({}) is None


def test_secret_is_saved_only_with_the_key_of_its_server() -> None:
    assert profile.save_secret(HOME_URL, "prj_1", "s") is None
    profile.save(Profile(HOME_URL, "service_sk_mine"))
    assert profile.save_secret("https://other.example.net", "prj_1", "s") is None
    assert profile.save_secret(f"{HOME_URL}/", "prj_1", "s") is not None
    loaded = profile.load({})
    assert loaded is not None
    assert loaded.secrets == {"prj_1": "s"}


def test_agents_use_the_key_of_their_project() -> None:
    assert profile.save_agent_key(HOME_URL, "prj_1", "service_sk_agent") is None, "not signed in"
    profile.save(Profile(HOME_URL, "service_sk_mine", {"prj_1": "s"}))
    assert profile.save_agent_key("https://other.example.net", "prj_1", "service_sk_agent") is None
    assert profile.save_agent_key(HOME_URL, "prj_1", "service_sk_agent") is not None
    assert profile.save_secret(HOME_URL, "prj_2", "t") is not None, "keeps the agents' keys"
    loaded = profile.load({})
    assert loaded is not None
    assert (loaded.agent_key("prj_1"), loaded.agent_key("prj_2")) == ("service_sk_agent", "service_sk_mine")
    assert loaded.secrets == {"prj_1": "s", "prj_2": "t"}
    given = profile.load({"LOREMARK_API_KEY": "service_sk_given"})
    assert given is not None
    assert given.agent_key("prj_1") == "service_sk_given", "a key from the environment is used for everything"
