"""Who a person is to which server: the file, the environment, and a key that goes nowhere else."""

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


def test_what_is_kept_is_found_again_and_nobody_else_reads_it() -> None:
    path = profile.save(Profile(HOME_URL, "service_sk_mine", {"prj_1": "s"}, enrich=False))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    found = profile.load({})
    assert found is not None
    assert (found.url, found.key, found.secrets, found.enrich) == (HOME_URL, "service_sk_mine", {"prj_1": "s"}, False)
    assert profile.forget()
    assert profile.load({}) is None


def test_a_saved_key_goes_to_no_other_server() -> None:
    """A repository can bring an environment: what its agent's settings name must not be handed the key."""
    profile.save(Profile(HOME_URL, "service_sk_mine", {"prj_1": "s"}))
    assert profile.load({"LOREMARK_URL": "https://evil.example.net"}) is None
    there = profile.load({"LOREMARK_URL": "https://other.example.net", "LOREMARK_API_KEY": "service_sk_theirs"})
    assert there is not None
    assert (there.key, there.secrets) == ("service_sk_theirs", {})
    assert profile.load({"LOREMARK_URL": f"{HOME_URL}/"}) is not None, "the same server, written otherwise"


def test_a_key_that_was_kept_without_a_server_goes_nowhere(home: Path) -> None:
    (home / "loremark").mkdir()
    (home / "loremark" / "profile.json").write_text(json.dumps({"key": "service_sk_mine"}))
    assert profile.load({}) is None
    assert profile.load({"LOREMARK_URL": "https://evil.example.net"}) is None


@pytest.mark.parametrize("kept", ["", "[]", "{", '{"url": 7, "key": []}', "[" * 100_000, '{"secrets": "x"}'])
def test_what_is_no_profile_is_none(home: Path, kept: str) -> None:
    (home / "loremark").mkdir()
    (home / "loremark" / "profile.json").write_text(kept)
    assert profile.load({}) is None


def test_a_secret_is_kept_only_beside_the_key_of_its_server() -> None:
    assert profile.save_secret(HOME_URL, "prj_1", "s") is None
    profile.save(Profile(HOME_URL, "service_sk_mine"))
    assert profile.save_secret("https://other.example.net", "prj_1", "s") is None
    assert profile.save_secret(f"{HOME_URL}/", "prj_1", "s") is not None
    found = profile.load({})
    assert found is not None
    assert found.secrets == {"prj_1": "s"}
