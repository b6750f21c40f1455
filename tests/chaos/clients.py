"""Clients that write continuously and record the responses; after a connection error the outcome is unknown."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import httpx

from loremark.base import ids

_REQUESTS = {
    "project": ("/api/projects", "name", "Project {}"),
    "key": ("/api/keys", "name", "key {}"),
    "invitation": ("/api/team", "email", "{}@example.com"),
}


class Clients:
    """Several concurrent clients, one thread each."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._answered = threading.Condition(self._lock)
        self.acknowledged: dict[str, list[str]] = {kind: [] for kind in _REQUESTS}
        self.keys: list[str] = []
        self.attempted: Counter[str] = Counter()
        self.connection_errors: Counter[str] = Counter()
        self.refused: list[str] = []

    @property
    def writes(self) -> int:
        return sum(map(len, self.acknowledged.values()))

    @contextmanager
    def writing(self, url: str, responses: int, clients: int = 5) -> Iterator[None]:
        """Run the clients during the block, which starts after this many responses; stop them at its end."""
        self._stop.clear()
        target = self.writes + responses
        headers = {"Authorization": f"Bearer {self._key}"}
        with httpx.Client(base_url=url, headers=headers, timeout=60.0, verify=False) as http:
            threads = [threading.Thread(target=self._write, args=(http, number)) for number in range(clients)]
            for thread in threads:
                thread.start()
            try:
                with self._answered:
                    assert self._answered.wait_for(lambda: self.refused or self.writes >= target, 120)
                yield
            finally:
                self._stop.set()
                for thread in threads:
                    thread.join(60)
                assert not any(thread.is_alive() for thread in threads)

    def _write(self, http: httpx.Client, offset: int) -> None:
        kinds = list(_REQUESTS)
        for turn in count(offset):
            if self._stop.is_set():
                return
            kind = kinds[turn % len(kinds)]
            path, field, template = _REQUESTS[kind]
            with self._lock:
                self.attempted[kind] += 1
            try:
                answer = http.post(path, json={field: template.format(ids.new("mark"))})
            except httpx.HTTPError as error:
                with self._lock:
                    self.connection_errors[type(error).__name__] += 1
                return
            with self._lock:
                self._record(kind, answer)
                self._answered.notify()

    def _record(self, kind: str, answer: httpx.Response) -> None:
        if answer.status_code == 201:
            self.acknowledged[kind].append(answer.json()["id"])
            if kind == "key":
                self.keys.append(answer.json()["key"])
        else:
            self.refused.append(f"{answer.status_code} {answer.text}")
