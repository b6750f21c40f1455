"""Servers record themselves while they run; the record of one that stopped says how to start it again."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from loremark.base.running_servers import ServerRecord, find_running, list_known, list_running, recorded
from loremark.base.server_lock import folder, refuse_stopped


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def _server(data: Path, port: int = 8000, started_at_ms: int = 1) -> ServerRecord:
    data.mkdir(exist_ok=True)
    return ServerRecord(
        url=f"http://127.0.0.1:{port}",
        base_url=f"https://{data.name}.example.com",
        port=port,
        pid=1,
        version="1.2.3",
        data_dir=str(data),
        environment={"LOREMARK_DATA_DIR": str(data)},
        started_at_ms=started_at_ms,
    )


def test_a_record_is_running_while_its_lock_is_held(home: Path) -> None:
    assert list_known() == []
    first, second = _server(home / "one"), _server(home / "two", 8001, started_at_ms=2)
    with recorded(first):
        with recorded(second):
            assert [server.port for server in list_running()] == [8001, 8000], "the newest first"
            assert list_running()[0] == msgspec.structs.replace(second, is_running=True)
            assert find_running() == list_running()[0]
            assert find_running("https://one.example.com") == find_running("http://127.0.0.1:8000") == list_running()[1]
            assert find_running("http://127.0.0.1:8002") is None
        assert [server.port for server in list_running()] == [8000]
    assert list_running() == []
    assert list_known() == [second, first], "they can be started again"
    with recorded(msgspec.structs.replace(first, version="1.2.4")):
        assert [server.version for server in list_running()] == ["1.2.4"]
    shutil.rmtree(home / "one")
    assert list_known() == [second], "its data is gone"
    assert (home / "state" / "loremark" / "servers").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in Path(folder()).iterdir()} == {0o600}


def test_a_second_server_does_not_take_a_record(home: Path) -> None:
    with recorded(_server(home / "one")):
        with recorded(_server(home / "two")):
            (running,) = list_running()
            assert running.data_dir == str(home / "one")
        assert len(list_running()) == 1, "the record of the first is still locked"


def test_unreadable_records_and_folders_are_ignored(home: Path) -> None:
    place = Path(folder())
    place.mkdir(parents=True)
    (place / "1.json").write_text("{")
    (place / "2.json").write_bytes(b"\xff")
    (place / "3.json").symlink_to(home / "elsewhere")
    (place / "notes.txt").write_text("mine")
    assert list_known() == []
    (place / "8000.json").mkdir()
    with recorded(_server(home / "one")):
        assert list_running() == []
    refuse_stopped("127.0.0.1", 8000)
    refuse_stopped("127.0.0.1", 2)
    refuse_stopped("127.0.0.1", 3)


def test_only_a_stopped_server_of_this_machine_is_refused(home: Path) -> None:
    server = _server(home / "one")
    with recorded(server):
        refuse_stopped("127.0.0.1", 8000)
    for host in ("127.0.0.1", "localhost", "::1"):
        with pytest.raises(ConnectionRefusedError, match="has stopped"):
            refuse_stopped(host, 8000)
    refuse_stopped("127.0.0.1", 8001)
    refuse_stopped("one.example.com", 8000)
