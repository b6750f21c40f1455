"""Names to addresses over a real name server: bounded, shared, and no slow name holds up a quick one."""

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


async def test_names_that_are_never_answered_hold_up_no_other(resolver: Resolver) -> None:
    waiting = [asyncio.create_task(_look_up(resolver, name)) for name in SLOW]
    await asyncio.sleep(0.1)
    for _ in range(20):
        assert await _look_up(resolver, "public.example.com") == list(PUBLIC)
    assert not any(task.done() for task in waiting)
    for task in waiting:
        task.cancel()
    assert await _look_up(resolver, "public.example.com") == list(PUBLIC)


async def test_a_name_that_is_never_answered_is_given_up(resolver: Resolver) -> None:
    impatient = Resolver(timeout_s=0.2)
    assert await _look_up(impatient, SLOW[0]) == []
    await impatient.close()


async def test_those_who_ask_for_the_same_name_share_the_answer(resolver: Resolver, names: Names) -> None:
    names.delay("public.example.com", 0.2)
    asking = [asyncio.create_task(_look_up(resolver, "public.example.com")) for _ in range(30)]
    await asyncio.sleep(0.05)
    asking.pop(0).cancel()  # who began it may go; the others still wait
    assert await asyncio.gather(*asking) == [list(PUBLIC)] * 29
    assert names.asked("public.example.com") == 2, "once for each kind of address"
    assert await _look_up(resolver, "public.example.com") == list(PUBLIC)
    assert names.asked("public.example.com") == 4, "an answer is not kept"


async def test_a_name_server_that_keeps_silent_about_ipv6_is_not_waited_for(resolver: Resolver, names: Names) -> None:
    names.delay("public.example.com", None, family=6)
    assert await _look_up(resolver, "public.example.com") == [PUBLIC[0]]


async def test_the_kinds_take_turns_and_a_name_without_any_has_none(resolver: Resolver, names: Names) -> None:
    names.set("many.example.com", "2606:4700::1", "2606:4700::2", "2606:4700::3", "93.184.215.14")
    found = await resolver.look_up("many.example.com")
    assert [address.version for address in found] == [4, 6, 6, 6]
    assert await _look_up(resolver, "unknown.example.com") == []
    assert await _look_up(resolver, "a" * 63 + ".example.com") == []


async def test_a_name_that_gets_an_address_is_found(resolver: Resolver, names: Names) -> None:
    names.set("moving.example.com", "93.184.215.14")
    assert await _look_up(resolver, "moving.example.com") == ["93.184.215.14"]
    names.set("moving.example.com", "2606:4700::1")
    found = [await _look_up(resolver, "moving.example.com") for _ in range(2)]
    assert found[-1] == ["2606:4700::1"], "at the latest the second time"
    names.set("moving.example.com")
    assert await _look_up(resolver, "moving.example.com") == []
    names.set("moving.example.com", "93.184.215.14")
    assert await _look_up(resolver, "moving.example.com") == ["93.184.215.14"]


async def test_the_hosts_file_is_read_and_nobody_asked(resolver: Resolver, names: Names) -> None:
    lines = [line.partition("#")[0].split() for line in Path("/etc/hosts").read_text().splitlines()]
    known = {name: address for address, *aliases in filter(None, lines) for name in aliases}
    for name, address in {**known, "localhost": "127.0.0.1"}.items():
        assert address in await _look_up(resolver, name)
        assert names.asked(name) == 0


async def test_whoever_waits_at_the_end_is_told_so(resolver: Resolver) -> None:
    waiting = asyncio.create_task(_look_up(resolver, SLOW[0]))
    await asyncio.sleep(0.05)
    await resolver.close()
    assert await asyncio.wait_for(waiting, 1) == []
    await Resolver().close()
