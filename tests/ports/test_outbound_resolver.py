"""Name lookups with a real DNS server: bounded and shared, and slow names do not delay others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loremark.ports.outbound.resolver import Resolver
from tests.servers.addresses import PUBLIC, Names

pytestmark = pytest.mark.anyio

SLOW = [f"slow{number}.example.com" for number in range(100)]


@pytest.fixture
async def resolver(names: Names) -> AsyncIterator[Resolver]:
    for name in SLOW:
        names.set(name, *PUBLIC)
        names.delay(name, None)
    made = Resolver(timeout_s=3600.0)
    yield made
    await made.close()


async def _look_up(resolver: Resolver, name: str) -> list[str]:
    return [str(address) for address in await resolver.look_up(name)]


async def test_unanswered_lookups_do_not_delay_others(resolver: Resolver) -> None:
    waiting = [asyncio.create_task(_look_up(resolver, name)) for name in SLOW]
    await asyncio.sleep(0.1)
    for _ in range(20):
        assert await _look_up(resolver, "public.example.com") == list(PUBLIC)
    assert not any(task.done() for task in waiting)
    for task in waiting:
        task.cancel()
    assert await _look_up(resolver, "public.example.com") == list(PUBLIC)


async def test_unanswered_lookup_times_out(resolver: Resolver) -> None:
    impatient = Resolver(timeout_s=0.2)
    assert await _look_up(impatient, SLOW[0]) == []
    await impatient.close()


async def test_concurrent_lookups_of_a_name_share_the_answer(resolver: Resolver, names: Names) -> None:
    names.delay("public.example.com", 0.2)
    lookups = [asyncio.create_task(_look_up(resolver, "public.example.com")) for _ in range(30)]
    await asyncio.sleep(0.05)
    lookups.pop(0).cancel()  # cancelling the first lookup does not affect the others
    assert await asyncio.gather(*lookups) == [list(PUBLIC)] * 29
    assert names.query_count("public.example.com") == 2, "one query per address family"
    assert await _look_up(resolver, "public.example.com") == list(PUBLIC)
    assert names.query_count("public.example.com") == 4, "answers are not cached"


async def test_missing_ipv6_answer_is_not_waited_for(resolver: Resolver, names: Names) -> None:
    names.delay("public.example.com", None, family=6)
    assert await _look_up(resolver, "public.example.com") == [PUBLIC[0]]


async def test_address_families_alternate_and_unknown_names_have_none(resolver: Resolver, names: Names) -> None:
    names.set("many.example.com", "2606:4700::1", "2606:4700::2", "2606:4700::3", "93.184.215.14")
    found = await resolver.look_up("many.example.com")
    assert [address.version for address in found] == [4, 6, 6, 6]
    assert await _look_up(resolver, "unknown.example.com") == []
    assert await _look_up(resolver, "a" * 63 + ".example.com") == []


async def test_changed_addresses_are_found(resolver: Resolver, names: Names) -> None:
    names.set("moving.example.com", "93.184.215.14")
    assert await _look_up(resolver, "moving.example.com") == ["93.184.215.14"]
    names.set("moving.example.com", "2606:4700::1")
    found = [await _look_up(resolver, "moving.example.com") for _ in range(2)]
    assert found[-1] == ["2606:4700::1"], "by the second lookup at the latest"
    names.set("moving.example.com")
    assert await _look_up(resolver, "moving.example.com") == []
    names.set("moving.example.com", "93.184.215.14")
    assert await _look_up(resolver, "moving.example.com") == ["93.184.215.14"]


async def test_hosts_file_is_used_without_a_query(resolver: Resolver, names: Names) -> None:
    lines = [line.partition("#")[0].split() for line in Path("/etc/hosts").read_text().splitlines()]
    known = {name: address for address, *aliases in filter(None, lines) for name in aliases}
    for name, address in {**known, "localhost": "127.0.0.1"}.items():
        assert address in await _look_up(resolver, name)
        assert names.query_count(name) == 0


async def test_closing_ends_pending_lookups(resolver: Resolver) -> None:
    waiting = asyncio.create_task(_look_up(resolver, SLOW[0]))
    await asyncio.sleep(0.05)
    await resolver.close()
    assert await asyncio.wait_for(waiting, 1) == []
    await Resolver().close()
