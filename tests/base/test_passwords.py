"""Password hashing: deliberately slow, off the event loop, and just as slow for unknown accounts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters

from loremark.base import errors
from loremark.base.errors import Refusal
from loremark.base.passwords import Passwords

pytestmark = pytest.mark.anyio


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    opened = Passwords()
    yield opened
    opened.close()


async def test_only_the_right_password_matches(passwords: Passwords) -> None:
    hashed = await passwords.hash("correct horse battery")
    assert await passwords.matches("correct horse battery", hashed)
    for wrong in ("", "correct horse batterY", "correct horse battery ", "correct horse"):
        assert not await passwords.matches(wrong, hashed)


async def test_uses_argon2id_with_the_recommended_cost(passwords: Passwords) -> None:
    first, second = await passwords.hash("same"), await passwords.hash("same")
    assert first != second
    assert first.startswith("$argon2id$v=19$m=47104,t=1,p=1$")


async def test_passwords_may_use_any_script(passwords: Passwords) -> None:
    hashed = await passwords.hash("пароль 密码 🗝")
    assert await passwords.matches("пароль 密码 🗝", hashed)
    assert not await passwords.matches("пароль 密码", hashed)


@pytest.mark.parametrize("hashed", [None, "", "not a hash", "$argon2id$v=19$m=8,t=1,p=1$broken"])
async def test_nothing_matches_a_missing_or_invalid_hash(passwords: Passwords, hashed: str | None) -> None:
    assert not await passwords.matches("nobody has this password", hashed)


async def test_unknown_account_costs_the_same_hash_as_a_wrong_password(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = await passwords.hash("correct horse battery")
    compared: list[Parameters] = []
    verify = PasswordHasher.verify

    def record(hasher: PasswordHasher, known: str, password: str) -> bool:
        compared.append(extract_parameters(known))
        return bool(verify(hasher, known, password))

    monkeypatch.setattr(PasswordHasher, "verify", record)
    for known in (hashed, None):
        assert not await passwords.matches("wrong", known)
    assert len(compared) == 2
    assert compared[0] == compared[1]


async def test_hashing_does_not_block_the_event_loop(passwords: Passwords) -> None:
    hashing = asyncio.gather(*(passwords.hash("x") for _ in range(4)))
    ticks = 0
    while not hashing.done():
        await asyncio.sleep(0.001)
        ticks += 1
    await hashing
    assert ticks >= 5


async def test_flood_is_rejected_instead_of_queued_forever() -> None:
    passwords = Passwords(memory_kib=8)
    try:
        results = await asyncio.gather(*(passwords.hash("x") for _ in range(500)), return_exceptions=True)
        refused = [result for result in results if isinstance(result, Refusal)]
        assert 0 < len(refused) < 500
        assert {refusal.kind for refusal in refused} == {errors.UNAVAILABLE}
        assert await passwords.hash("afterwards"), "capacity is available again"
    finally:
        passwords.close()
