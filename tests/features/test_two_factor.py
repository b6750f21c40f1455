"""Two-factor authentication: turning it on and off, signing in with codes, and the ways out."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
import pytest
import segno
from sqlalchemy import select

from loremark.base import clock, errors
from loremark.base.clock import MINUTE_MS
from loremark.base.passwords import Passwords
from loremark.entry import admin
from loremark.features.identity import qr_code, totp
from loremark.features.identity import second_factor_store as factors
from loremark.features.identity import store as people
from loremark.features.identity.recovery_codes import CODES, hash_code, new_codes
from loremark.storage.tables import audit_entries
from tests.features.steps import (
    UNAUTHENTICATED,
    WRONG_PASSWORD,
    accept,
    cookies_of,
    log_in,
    raw_database,
    status_and_body,
)
from tests.support.people import Person
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

PATH = "/api/auth/two-factor"
CODE_REQUIRED = (401, {"error": errors.CODE_REQUIRED.text})
WRONG_CODE = (401, {"error": errors.WRONG_CODE.text})
ON = (409, {"error": errors.TWO_FACTOR_ON.text})
OFF = (409, {"error": errors.TWO_FACTOR_OFF.text})


@contextmanager
def later(steps: int) -> Iterator[None]:
    """Stop the clock this many codes from now."""
    now_ms = clock.now_ms() + steps * 30_000
    with clock.use(lambda: now_ms):
        yield


class Phone:
    """A person with an account, a browser and an authenticator app."""

    def __init__(self, service: Service, person: Person, cookies: dict[str, str]) -> None:
        self.service = service
        self.person = person
        self.cookies = cookies
        self.secret = ""
        self.recovery_codes: list[str] = []

    @classmethod
    async def of(cls, service: Service, *, on: bool = True) -> Phone:
        person = await service.join(await service.owner())
        phone = cls(service, person, cookies_of(service, await log_in(service, person.email)))
        if on:
            await phone.turn_on()
        return phone

    async def send(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return await self.service.browser_call(method, path, self.cookies, json=body)

    async def turn_on(self) -> None:
        started = await self.send("POST", f"{PATH}/totp", {"password": PASSWORD})
        assert started.status_code == 201, started.text
        self.secret = started.json()["secret"]
        confirmed = await self.send("POST", f"{PATH}/totp/confirm", {"code": self.code(0)})
        assert confirmed.status_code == 200, confirmed.text
        self.recovery_codes = confirmed.json()["codes"]

    def code(self, steps: int = 1) -> str:
        """The code of a later or earlier time step: by default the next, because setting up used the current one."""
        return totp.code_at(self.secret, clock.now_ms() + steps * 30_000)

    async def log_in(self, code: str | None = None, address: str = "127.0.0.1") -> httpx.Response:
        fields = {} if code is None else {"code": code}
        return await log_in(self.service, self.person.email, fields=fields, headers={"X-Forwarded-For": address})


async def actions(phone: Phone) -> list[tuple[str, Any]]:
    """What the audit log says the person did, newest first."""
    async with phone.service.runtime.database.read() as tx:
        rows = await tx.many(
            select(audit_entries)
            .where(audit_entries.c.actor_id == phone.person.user_id)
            .order_by(audit_entries.c.id.desc())
        )
    return [(row["action"], row["details"]) for row in rows]


async def test_setup(service: Service) -> None:
    phone = await Phone.of(service, on=False)
    assert (await phone.send("GET", PATH)).json() == {"enabled": False, "recoveryCodes": 0}
    wrong = await phone.send("POST", f"{PATH}/totp", {"password": "not mine"})
    assert status_and_body(wrong) == WRONG_PASSWORD
    assert status_and_body(await phone.send("POST", f"{PATH}/totp/confirm", {"code": "123456"})) == OFF

    first = (await phone.send("POST", f"{PATH}/totp", {"password": PASSWORD})).json()
    second = (await phone.send("POST", f"{PATH}/totp", {"password": PASSWORD})).json()
    assert first["secret"] != second["secret"]
    assert re.fullmatch(r"[A-Z2-7]{32}", second["secret"])
    uri = urlsplit(second["uri"])
    assert (uri.scheme, uri.netloc, unquote(uri.path)) == ("otpauth", "totp", f"/Loremark:{phone.person.email}")
    assert parse_qs(uri.query) == {"secret": [second["secret"]], "issuer": ["Loremark"]}
    assert (await phone.log_in()).status_code == 200, "nothing changes before a code is confirmed"

    phone.secret = first["secret"]
    replaced = await phone.send("POST", f"{PATH}/totp/confirm", {"code": phone.code()})
    assert status_and_body(replaced) == WRONG_CODE
    phone.secret = second["secret"]
    for wrong_code in ("000000", "12345", "x", phone.code(-10)):
        assert status_and_body(await phone.send("POST", f"{PATH}/totp/confirm", {"code": wrong_code})) == WRONG_CODE
    lost = cookies_of(service, await phone.log_in())
    code = phone.code()
    confirmed = await phone.send("POST", f"{PATH}/totp/confirm", {"code": f"{code[:3]} {code[3:]}"})
    codes = confirmed.json()["codes"]
    assert len(set(codes)) == CODES
    assert all(re.fullmatch(r"([a-z2-7]{4}-){3}[a-z2-7]{4}", each) for each in codes)
    assert (await phone.send("GET", PATH)).json() == {"enabled": True, "recoveryCodes": CODES}
    assert status_and_body(await service.browser_call("GET", "/api/auth/me", lost)) == UNAUTHENTICATED
    assert status_and_body(await phone.send("POST", f"{PATH}/totp", {"password": PASSWORD})) == ON
    assert status_and_body(await phone.send("POST", f"{PATH}/totp/confirm", {"code": phone.code()})) == ON


async def test_nothing_of_it_is_stored_in_plain_text(service: Service) -> None:
    phone = await Phone.of(service)
    database = await raw_database(service)
    assert phone.secret.encode() not in database
    for code in phone.recovery_codes:
        assert code.encode() not in database
        assert code.replace("-", "").encode() not in database
    assert hash_code(phone.person.user_id, phone.recovery_codes[0]).encode() in database


async def test_sign_in_needs_a_code(service: Service) -> None:
    phone = await Phone.of(service)
    assert status_and_body(await phone.log_in()) == CODE_REQUIRED
    assert status_and_body(await phone.log_in("000000")) == WRONG_CODE
    assert "set-cookie" not in (await phone.log_in("000000")).headers
    wrong = await log_in(service, phone.person.email, "not mine", fields={"code": phone.code()})
    assert status_and_body(wrong) == WRONG_PASSWORD
    signed_in = await phone.log_in(phone.code())
    assert (signed_in.status_code, signed_in.json()["email"]) == (200, phone.person.email)
    assert (await actions(phone))[0] == ("login.created", '{"method":"password and two-factor code"}')
    other = await service.join(await service.owner())
    assert (await log_in(service, other.email, fields={"code": "000000"})).status_code == 200, "others need none"


@pytest.mark.both_engines
async def test_a_code_works_once(service: Service) -> None:
    phone = await Phone.of(service)
    with later(3):
        code, newer = phone.code(0), phone.code(1)
        attempts = await asyncio.gather(*(phone.log_in(code) for _ in range(4)))
        assert sorted(answer.status_code for answer in attempts) == [200, 401, 401, 401]
        assert status_and_body(await phone.log_in(code)) == WRONG_CODE
        assert (await phone.log_in(newer)).status_code == 200, "a phone's clock may be ahead"
        assert status_and_body(await phone.log_in(code)) == WRONG_CODE
        assert status_and_body(await phone.log_in(newer)) == WRONG_CODE
    with later(6):
        assert status_and_body(await phone.log_in(newer)) == WRONG_CODE
        behind = phone.code(-1)
        assert (await phone.log_in(behind)).status_code == 200, "a phone's clock may be behind"
    with later(20):
        assert status_and_body(await phone.log_in(phone.code(-2))) == WRONG_CODE
        assert status_and_body(await phone.log_in(phone.code(2))) == WRONG_CODE


@pytest.mark.both_engines
async def test_a_recovery_code_works_once(service: Service) -> None:
    phone = await Phone.of(service)
    code = phone.recovery_codes[3]
    attempts = await asyncio.gather(*(phone.log_in(code) for _ in range(4)))
    assert sorted(answer.status_code for answer in attempts) == [200, 401, 401, 401]
    assert (await phone.log_in(phone.recovery_codes[4].upper().replace("-", " "))).status_code == 200
    assert (await phone.send("GET", PATH)).json() == {"enabled": True, "recoveryCodes": CODES - 2}
    found = await actions(phone)
    assert ("two_factor.recovery_code_used", f'{{"left":{CODES - 2}}}') in found
    assert ("login.created", '{"method":"password and recovery code"}') in found
    other = await Phone.of(service)
    assert status_and_body(await other.log_in(phone.recovery_codes[5])) == WRONG_CODE


async def test_recovery_codes_can_be_replaced(service: Service) -> None:
    phone = await Phone.of(service)
    path = f"{PATH}/recovery-codes"
    assert status_and_body(await phone.send("POST", path, {"password": "no", "code": phone.code()})) == WRONG_PASSWORD
    assert status_and_body(await phone.send("POST", path, {"password": PASSWORD, "code": "000000"})) == WRONG_CODE
    replaced = await phone.send("POST", path, {"password": PASSWORD, "code": phone.code()})
    assert replaced.status_code == 200
    assert status_and_body(await phone.log_in(phone.recovery_codes[0])) == WRONG_CODE
    assert (await phone.log_in(replaced.json()["codes"][0])).status_code == 200


async def test_turning_it_off_needs_password_and_code(service: Service) -> None:
    phone = await Phone.of(service)
    for body, refusal in (
        ({"password": "not mine", "code": phone.code()}, WRONG_PASSWORD),
        ({"password": PASSWORD, "code": "000000"}, WRONG_CODE),
    ):
        assert status_and_body(await phone.send("DELETE", PATH, body)) == refusal
    assert (await phone.send("DELETE", PATH, {"password": PASSWORD})).status_code == 400
    with_key = await phone.person.call("DELETE", PATH, {"password": PASSWORD, "code": phone.code()})
    assert status_and_body(with_key) == UNAUTHENTICATED
    assert status_and_body(await phone.log_in()) == CODE_REQUIRED
    body = {"password": PASSWORD, "code": phone.recovery_codes[0]}
    assert (await phone.send("DELETE", PATH, body)).status_code == 204
    assert (await phone.log_in()).status_code == 200
    assert (await phone.send("GET", PATH)).json() == {"enabled": False, "recoveryCodes": 0}
    assert status_and_body(await phone.send("DELETE", PATH, body)) == OFF
    log = [action for action, _ in await actions(phone)]
    assert log.count("two_factor.enabled") == log.count("two_factor.disabled") == 1
    await phone.turn_on()


async def test_an_account_without_a_password_sets_one_first(service: Service) -> None:
    owner = await service.owner()
    async with service.runtime.database.write() as tx:
        token = await people.create_link(tx, owner.user_id)
    answer = await service.http.get(f"/signin?token={token}")
    cookies = cookies_of(service, answer)
    started = await service.browser_call("POST", f"{PATH}/totp", cookies, json={"password": PASSWORD})
    assert status_and_body(started) == (409, {"error": errors.NO_PASSWORD.text})


async def test_invitations_ask_for_a_full_sign_in(service: Service) -> None:
    phone = await Phone.of(service)
    other = await service.owner("Pebbles")
    invited = (await other.post("/api/team", {"email": phone.person.email})).json()["id"]
    token = await service.invitation_token(invited)
    by_password = await accept(service, token, password=PASSWORD)
    assert status_and_body(by_password) == (401, {"error": errors.SIGN_IN_TO_ACCEPT.text})
    signed_in = await phone.send("POST", "/api/team/invitations/accept", {"token": token})
    assert signed_in.status_code == 200


@pytest.mark.both_engines
async def test_two_factor_turned_on_while_an_invitation_is_accepted(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = await Phone.of(service, on=False)
    invited = (await (await service.owner("Pebbles")).post("/api/team", {"email": phone.person.email})).json()["id"]
    token = await service.invitation_token(invited)
    matches = Passwords.matches

    async def matches_slowly(passwords: Passwords, password: str, hashed: str | None) -> bool:
        found = await matches(passwords, password, hashed)
        monkeypatch.setattr(Passwords, "matches", matches)
        await phone.turn_on()
        return found

    monkeypatch.setattr(Passwords, "matches", matches_slowly)
    by_password = await accept(service, token, password=PASSWORD)
    assert status_and_body(by_password) == (401, {"error": errors.SIGN_IN_TO_ACCEPT.text})


@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="login=6/minute,code=4/hour", LOREMARK_TRUSTED_PROXIES="127.0.0.1/32")
async def test_codes_are_throttled_per_account_and_address(service: Service) -> None:
    now_ms = clock.now_ms() // (60 * MINUTE_MS) * 60 * MINUTE_MS

    def minute(number: int) -> Any:
        return clock.use(lambda: now_ms + number * MINUTE_MS)

    with minute(0):
        phone = await Phone.of(service)  # its setup counts as one
    with minute(1):
        tried = [await phone.log_in("000000", f"203.0.113.{number}") for number in range(4)]
        assert [answer.status_code for answer in tried] == [401, 401, 401, 429], "from any address"
        assert (await phone.log_in(phone.code(), "198.51.100.1")).status_code == 429
        assert (await phone.log_in(address="198.51.100.2")).status_code == 401, "passwords are counted on their own"
        elsewhere = {"X-Forwarded-For": "198.51.100.3"}
        wrong = await log_in(service, phone.person.email, "not mine", fields={"code": "1"}, headers=elsewhere)
        assert wrong.status_code == 401, "who does not know the password cannot use up the codes"
    with minute(61):
        tried = [await phone.log_in(address="203.0.113.9") for _ in range(7)]
        assert [answer.status_code for answer in tried] == [401] * 6 + [429]
        assert (await phone.log_in(phone.code(), "203.0.113.10")).status_code == 200


async def test_the_operator_lets_a_locked_out_owner_in(service: Service) -> None:
    phone = await Phone.of(service)
    assert await admin.reset_two_factor(service.settings, phone.person.email) is True
    assert (await phone.log_in()).status_code == 200
    assert ("two_factor.disabled", "{}") in await actions(phone)
    assert await admin.reset_two_factor(service.settings, phone.person.email) is False
    async with service.runtime.database.read() as tx:
        assert await factors.count_recovery_codes(tx, phone.person.user_id) == 0


def test_codes_are_those_of_the_standard() -> None:
    """The examples of RFC 6238, appendix B, with six digits."""
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    for at_s, code in ((59, "287082"), (1111111109, "081804"), (1234567890, "005924"), (20000000000, "353130")):
        assert totp.code_at(secret, at_s * 1000) == code
    assert totp.find_step(secret, "287082", after_step=0, now_ms=59_000) == 1
    assert totp.find_step(secret, "287082", after_step=1, now_ms=59_000) is None
    assert totp.find_step(secret, "２８７０８２", after_step=0, now_ms=59_000) is None


def test_recovery_codes_are_random_and_bound_to_the_account() -> None:
    codes = new_codes()
    assert len({*codes, *new_codes()}) == 2 * CODES
    assert hash_code("usr_1", codes[0]) == hash_code("usr_1", codes[0].upper().replace("-", ""))
    assert hash_code("usr_1", codes[0]) != hash_code("usr_2", codes[0])


def test_qr_code_path_draws_the_modules() -> None:
    text = totp.setup_uri(totp.new_secret(), "rita@example.com")
    drawn = qr_code.draw(text)
    pixels = [[0] * drawn.size for _ in range(drawn.size)]
    for x, y, width, back in re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", drawn.path):
        assert width == back
        for at in range(int(x), int(x) + int(width)):
            pixels[int(y)][at] = 1
    assert pixels == [list(row) for row in segno.make(text, micro=False, error="m").matrix]
    assert re.fullmatch(r"(M\d+ \d+h\d+v1h-\d+z)+", drawn.path)
