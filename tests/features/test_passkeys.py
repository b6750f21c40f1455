"""Passkeys: adding, naming and removing them, and signing in with one."""

from __future__ import annotations

import asyncio
import hashlib
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import cbor2
import httpx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loremark.base import clock, errors, limits
from loremark.base.crypto import Sealer
from loremark.features.identity import passkey_ceremonies as ceremonies
from loremark.features.identity import totp
from loremark.features.identity.passkey_ceremonies import RelyingParty, decode, encode
from loremark.features.identity.passkey_challenges import SIGN_IN, Challenges, registration_of
from loremark.wire.passkeys import Assertion, AssertionResponse, AttestationResponse, NewCredential
from tests.features.steps import (
    UNAUTHENTICATED,
    WRONG_PASSWORD,
    cookies_of,
    emails_to,
    log_in,
    run_sql,
    status_and_body,
)
from tests.support.passkeys import ORIGIN, Device
from tests.support.people import Person
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

PATH = "/api/auth/passkeys"
REFUSED = (401, {"error": errors.PASSKEY_REFUSED.text})
MISSING = (404, {"error": errors.PASSKEY_NOT_FOUND.text})


class Laptop:
    """A person with an account, a browser and a passkey device."""

    def __init__(self, service: Service, person: Person, cookies: dict[str, str]) -> None:
        self.service = service
        self.person = person
        self.cookies = cookies
        self.device = Device()

    @classmethod
    async def of(cls, service: Service, *, with_passkey: bool = True) -> Laptop:
        person = await service.join(await service.owner())
        laptop = cls(service, person, cookies_of(service, await log_in(service, person.email)))
        if with_passkey:
            assert (await laptop.add()).status_code == 201
        return laptop

    async def send(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return await self.service.browser_call(method, path, self.cookies, json=body)

    async def options(self, **body: Any) -> httpx.Response:
        return await self.send("POST", f"{PATH}/options", {"password": PASSWORD, **body})

    async def add(self, name: str = "Laptop", device: Device | None = None) -> httpx.Response:
        options = (await self.options()).json()["options"]
        return await self.finish((device or self.device).create(options), name)

    async def finish(self, credential: dict[str, Any], name: str = "Laptop") -> httpx.Response:
        return await self.send("POST", PATH, {"name": name, "credential": credential})

    async def list(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self.send("GET", PATH)).json()
        return found

    async def sign_in(self, **fields: Any) -> httpx.Response:
        return await sign_in(self.service, self.device.sign(await sign_in_options(self.service)), **fields)


async def sign_in_options(service: Service) -> dict[str, Any]:
    answer = await service.http.post(f"{PATH}/sign-in/options")
    assert answer.status_code == 200, answer.text
    options: dict[str, Any] = answer.json()["options"]
    return options


async def sign_in(service: Service, credential: dict[str, Any], **fields: Any) -> httpx.Response:
    answer = await service.http.post(f"{PATH}/sign-in", json={"credential": credential, **fields})
    service.http.cookies.clear()
    return answer


@pytest.mark.both_engines
async def test_a_passkey_signs_in_without_a_password(service: Service) -> None:
    laptop = await Laptop.of(service)
    answer = await laptop.sign_in()
    assert (answer.status_code, answer.json()["email"]) == (200, laptop.person.email)
    me = await service.browser_call("GET", "/api/auth/me", cookies_of(service, answer))
    assert (me.status_code, me.json()["userId"]) == (200, laptop.person.user_id)
    (entry,) = await laptop.list()
    assert (entry["name"], entry["lastUsed"] is None) == ("Laptop", False)
    log = await run_sql(service, "SELECT action, details FROM audit_entries ORDER BY id DESC LIMIT 1")
    assert log == [("login.created", '{"method":"passkey"}')]


async def test_options_for_the_browser(service: Service) -> None:
    laptop = await Laptop.of(service)
    assert status_and_body(await laptop.send("POST", f"{PATH}/options", {"password": "not mine"})) == WRONG_PASSWORD
    options = (await laptop.options()).json()["options"]
    assert options["rp"] == {"id": "localhost", "name": "Loremark"}
    assert decode(options["user"]["id"]).decode() == laptop.person.user_id
    assert options["excludeCredentials"] == [{"type": "public-key", "id": encode(laptop.device.credential_id)}]
    assert options["authenticatorSelection"]["userVerification"] == "required"
    public = await sign_in_options(service)
    assert (public["rpId"], public["allowCredentials"], public["userVerification"]) == ("localhost", [], "required")
    assert public["challenge"] != (await sign_in_options(service))["challenge"]


async def test_several_passkeys_can_be_named_and_removed(service: Service) -> None:
    laptop, phone = await Laptop.of(service), Device()
    assert (await laptop.add("Phone", phone)).status_code == 201
    first, second = await laptop.list()
    assert [first["name"], second["name"]] == ["Laptop", "Phone"]
    renamed = await laptop.send("PATCH", f"{PATH}/{second['id']}", {"name": " My phone "})
    assert (renamed.status_code, renamed.json()["name"]) == (200, "My phone")
    assert (await laptop.send("DELETE", f"{PATH}/{first['id']}")).status_code == 204
    assert [entry["name"] for entry in await laptop.list()] == ["My phone"]
    assert status_and_body(await laptop.sign_in()) == REFUSED
    assert (await sign_in(service, phone.sign(await sign_in_options(service)))).status_code == 200
    stranger = await Laptop.of(service, with_passkey=False)
    for method, body in (("PATCH", {"name": "x"}), ("DELETE", None)):
        assert status_and_body(await stranger.send(method, f"{PATH}/{second['id']}", body)) == MISSING
        by_key = await laptop.person.call(method, f"{PATH}/{second['id']}", body)
        assert status_and_body(by_key) == UNAUTHENTICATED
    assert len(await laptop.list()) == 1


@pytest.mark.both_engines
async def test_a_challenge_is_answered_once(service: Service) -> None:
    laptop = await Laptop.of(service)
    options = await sign_in_options(service)
    answers = await asyncio.gather(*(sign_in(service, laptop.device.sign(options)) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401]
    registration = (await laptop.options()).json()["options"]
    assert (await laptop.finish(Device().create(registration))).status_code == 201
    assert status_and_body(await laptop.finish(Device().create(registration))) == REFUSED


@pytest.mark.own_service
async def test_a_challenge_expires_and_serves_one_purpose(service: Service) -> None:
    laptop, other = await Laptop.of(service), await Laptop.of(service)
    options = await sign_in_options(service)
    registration = (await laptop.options()).json()["options"]
    assert status_and_body(await laptop.finish(Device().create({**registration, **options}))) == REFUSED
    signed_for_registration = laptop.device.sign(registration)
    assert status_and_body(await sign_in(service, signed_for_registration)) == REFUSED
    assert status_and_body(await other.finish(Device().create(registration))) == REFUSED, "of another account"
    made_up = {**options, "challenge": encode(bytes(56))}
    assert status_and_body(await sign_in(service, laptop.device.sign(made_up))) == REFUSED
    late_ms = clock.now_ms() + limits.PASSKEY_CHALLENGE_VALID_MS
    with clock.use(lambda: late_ms):
        assert status_and_body(await sign_in(service, laptop.device.sign(options))) == REFUSED
        assert (await laptop.sign_in()).status_code == 200
    assert await run_sql(service, "SELECT count(*) FROM used_challenges") == [(1,)], "expired ones are forgotten"


async def test_answers_from_elsewhere_are_refused(service: Service) -> None:
    laptop = await Laptop.of(service)
    for attribute, value in (
        ("origin", "https://localhost:8000"),
        ("origin", "http://127.0.0.1:8000"),
        ("origin", "http://evil.example"),
        ("rp_id", "evil.example"),
        ("verifies_user", False),
        ("user_handle", encode(b"usr_somebody_else")),
        ("credential_id", b"unknown credential"),
    ):
        before = getattr(laptop.device, attribute)
        setattr(laptop.device, attribute, value)
        assert status_and_body(await laptop.sign_in()) == REFUSED, (attribute, value)
        setattr(laptop.device, attribute, before)
        if attribute not in ("user_handle", "credential_id"):
            device = Device()
            setattr(device, attribute, value)
            assert status_and_body(await laptop.add("Bad", device)) == REFUSED, (attribute, value)
    thief = Device()
    thief.credential_id, thief.user_handle = laptop.device.credential_id, laptop.device.user_handle
    assert status_and_body(await sign_in(service, thief.sign(await sign_in_options(service)))) == REFUSED
    assert (await laptop.sign_in()).status_code == 200
    cross = {"Sec-Fetch-Site": "cross-site"}
    assert (await service.http.post(f"{PATH}/sign-in/options", headers=cross)).status_code == 403


async def test_a_refused_answer_uses_up_its_challenge(service: Service) -> None:
    laptop = await Laptop.of(service)
    options = await sign_in_options(service)
    laptop.device.origin = "http://evil.example"
    assert status_and_body(await sign_in(service, laptop.device.sign(options))) == REFUSED
    laptop.device.origin = ORIGIN
    assert status_and_body(await sign_in(service, laptop.device.sign(options))) == REFUSED
    assert (await laptop.sign_in()).status_code == 200
    options = (await laptop.options()).json()["options"]
    spare = Device()
    spare.origin = "http://evil.example"
    assert status_and_body(await laptop.finish(spare.create(options))) == REFUSED
    spare.origin = ORIGIN
    assert status_and_body(await laptop.finish(spare.create(options))) == REFUSED
    assert (await laptop.add("Spare", spare)).status_code == 201


async def test_values_that_refer_to_each_other_are_not_written_out(service: Service) -> None:
    """Each level of a value doubles it, so 131 bytes would take seconds and 250 for ever."""
    laptop = await Laptop.of(service)
    bomb = _nested_references(21)
    with_extensions = hashlib.sha256(b"localhost").digest() + bytes((0x85,)) + bytes(4) + bomb
    as_key = with_extensions[:32] + bytes((0x45,)) + bytes(4 + 16) + struct.pack(">H", 1) + b"x" + bomb
    before = clock.monotonic()
    signed = laptop.device.sign(await sign_in_options(service))
    signed["response"]["authenticatorData"] = encode(with_extensions)
    assert status_and_body(await sign_in(service, signed)) == REFUSED
    for attestation in (
        bomb,
        cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": as_key}),
        b"\xa2\x61a" + bomb + b"\x68authDataA\0",
    ):
        created = Device().create((await laptop.options()).json()["options"])
        created["response"]["attestationObject"] = encode(attestation)
        assert status_and_body(await laptop.finish(created)) == REFUSED
    assert clock.monotonic() - before < 2


def _nested_references(levels: int) -> bytes:
    """CBOR in which every value is a list of the next one, twice."""
    inner = b"".join(b"\xd8\x1d" + cbor2.dumps(level) for level in range(levels - 1, 0, -1))
    return b"\xd8\x1c\x82" * levels + b"\0\0" + inner


async def test_extensions_of_a_new_passkey_are_ignored(service: Service) -> None:
    """Browsers ask security keys for ``credProtect`` on their own."""
    laptop = await Laptop.of(service, with_passkey=False)
    created = laptop.device.create((await laptop.options()).json()["options"])
    attestation = cbor2.loads(decode(created["response"]["attestationObject"]))
    data = attestation["authData"]
    flags = bytes((data[32] | 0x80,))
    attestation["authData"] = data[:32] + flags + data[33:] + cbor2.dumps({"credProtect": 3})
    created["response"]["attestationObject"] = encode(cbor2.dumps(attestation))
    assert (await laptop.finish(created)).status_code == 201
    assert (await laptop.sign_in()).status_code == 200


async def test_a_cloned_device_is_noticed(service: Service) -> None:
    """Devices that count their signatures must not go back."""
    laptop = await Laptop.of(service)
    laptop.device.sign_count = 5
    assert (await laptop.sign_in()).status_code == 200
    laptop.device.sign_count = 4
    assert status_and_body(await laptop.sign_in()) == REFUSED
    laptop.device.sign_count = 6
    assert (await laptop.sign_in()).status_code == 200


async def test_a_stolen_password_cannot_add_a_passkey_unnoticed(service: Service) -> None:
    laptop = await Laptop.of(service)
    await service.wait_for_jobs()
    *_, (subject, text) = await emails_to(service.settings.data_dir, laptop.person.email)
    assert subject == "A passkey was added to your account"
    assert "http://127.0.0.1:8000/account" in text
    thief = cookies_of(service, await laptop.sign_in())
    (entry,) = await laptop.list()
    assert (await laptop.send("DELETE", f"{PATH}/{entry['id']}")).status_code == 204
    assert status_and_body(await service.browser_call("GET", "/api/auth/me", thief)) == UNAUTHENTICATED
    assert (await laptop.send("GET", "/api/auth/me")).status_code == 200


async def test_a_passkey_belongs_to_one_account(service: Service) -> None:
    laptop, other = await Laptop.of(service), await Laptop.of(service)
    assert status_and_body(await other.add(device=laptop.device)) == REFUSED
    laptop.device.user_handle = encode(laptop.person.user_id.encode())
    assert (await laptop.sign_in()).json()["userId"] == laptop.person.user_id


async def test_the_team_can_be_chosen(service: Service) -> None:
    laptop = await Laptop.of(service)
    other = await service.owner("Pebbles")
    invited = (await other.post("/api/team", {"email": laptop.person.email})).json()["id"]
    token = await service.invitation_token(invited)
    assert (await laptop.send("POST", "/api/team/invitations/accept", {"token": token})).status_code == 200
    assert (await laptop.sign_in(teamId=other.team_id)).json()["teamName"] == "Pebbles"
    assert (await laptop.sign_in()).json()["teamId"] == laptop.person.team_id
    assert status_and_body(await laptop.sign_in(teamId=(await service.owner()).team_id)) == REFUSED


async def test_two_factor_authentication_guards_new_passkeys_and_accepts_them(service: Service) -> None:
    laptop = await Laptop.of(service)
    secret = (await laptop.send("POST", "/api/auth/two-factor/totp", {"password": PASSWORD})).json()["secret"]
    code = totp.code_at(secret, clock.now_ms())
    confirmed = await laptop.send("POST", "/api/auth/two-factor/totp/confirm", {"code": code})
    assert confirmed.status_code == 200
    assert status_and_body(await laptop.options()) == (401, {"error": errors.CODE_REQUIRED.text})
    assert status_and_body(await laptop.options(code=code)) == (401, {"error": errors.WRONG_CODE.text})
    assert (await laptop.options(code=confirmed.json()["codes"][0])).status_code == 200
    assert status_and_body(await log_in(service, laptop.person.email)) == (401, {"error": errors.CODE_REQUIRED.text})
    assert (await laptop.sign_in()).status_code == 200, "device and user are two factors"


async def test_accounts_have_a_limited_number(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PASSKEYS", 2)
    laptop = await Laptop.of(service)
    spare = (await laptop.options()).json()["options"]
    assert (await laptop.add("Second", Device())).status_code == 201
    full = (409, {"error": errors.PASSKEY_LIMIT.text})
    assert status_and_body(await laptop.options()) == full
    assert status_and_body(await laptop.finish(Device().create(spare))) == full


async def test_a_removed_member_cannot_sign_in(service: Service) -> None:
    owner = await service.owner()
    person = await service.join(owner)
    laptop = Laptop(service, person, cookies_of(service, await log_in(service, person.email)))
    assert (await laptop.add()).status_code == 201
    assert (await owner.delete(f"/api/team/{person.member_id}")).status_code == 204
    assert status_and_body(await laptop.sign_in()) == REFUSED


@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="login=2/minute")
async def test_sign_in_is_throttled_per_address(service: Service) -> None:
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        credential = Device().sign(await sign_in_options(service))
        tried = [(await sign_in(service, credential)).status_code for _ in range(11)]
    assert tried == [401] * 10 + [429]


@pytest.mark.settings(LOREMARK_BASE_URL="http://192.0.2.7:8000")
async def test_passkeys_need_a_host_name(service: Service) -> None:
    answer = await service.http.post(f"{PATH}/sign-in/options", headers={"Host": "192.0.2.7:8000"})
    assert status_and_body(answer) == (409, {"error": errors.PASSKEYS_NEED_A_NAME.text})


@pytest.mark.parametrize(
    ("base_url", "party"),
    [
        ("https://memory.example.com", RelyingParty("memory.example.com", ("https://memory.example.com",))),
        ("https://memory.example.com:8443", RelyingParty("memory.example.com", ("https://memory.example.com:8443",))),
        ("http://127.0.0.1:8000", RelyingParty("localhost", ("http://localhost:8000",))),
        ("http://localhost", RelyingParty("localhost", ("http://localhost",))),
        ("http://[2001:db8::1]:8000", RelyingParty(None, ("http://[2001:db8::1]:8000",))),
        ("http://10.0.0.1", RelyingParty(None, ("http://10.0.0.1",))),
    ],
)
def test_relying_party_follows_the_base_url(base_url: str, party: RelyingParty) -> None:
    assert RelyingParty.of(base_url) == party


def test_challenges_are_bound_to_installation_and_purpose() -> None:
    challenges = Challenges(Sealer(bytes(32)))
    made = challenges.create(SIGN_IN)
    assert challenges.find_expiry(made, SIGN_IN) is not None
    assert challenges.find_expiry(made, registration_of("usr_1")) is None
    assert Challenges(Sealer(bytes(31) + b"\1")).find_expiry(made, SIGN_IN) is None
    later = bytearray(made)
    later[20] ^= 1
    for wrong in (bytes(later), made[:-1], made + b"\0", b"", made[:24]):
        assert challenges.find_expiry(wrong, SIGN_IN) is None


_PARTY = RelyingParty.of("http://localhost:8000")
_BYTES = st.binary(min_size=1, max_size=200)


@dataclass(frozen=True)
class _Recorded:
    """Valid answers of a device."""

    name: str
    challenge: bytes
    public_key: bytes
    created: dict[str, str]
    signed: dict[str, str]


@cache
def _record() -> _Recorded:
    challenge, device = Challenges(Sealer(bytes(32))).create(SIGN_IN), Device()
    name = encode(device.credential_id)
    created = device.create({"user": {"id": "eA"}, "challenge": encode(challenge)})["response"]
    found = ceremonies.verify_registration(_PARTY, _new_credential(name, created), challenge)
    return _Recorded(
        name, challenge, found.public_key, created, device.sign({"challenge": encode(challenge)})["response"]
    )


def _new_credential(name: str, response: dict[str, str]) -> NewCredential:
    parts = AttestationResponse(
        attestation_object=response["attestationObject"], client_data_json=response["clientDataJSON"]
    )
    return NewCredential(id=name, raw_id=name, type="public-key", response=parts)


def _assertion(name: str, response: dict[str, str]) -> Assertion:
    parts = AssertionResponse(
        authenticator_data=response["authenticatorData"],
        signature=response["signature"],
        client_data_json=response["clientDataJSON"],
        user_handle=response["userHandle"],
    )
    return Assertion(id=name, raw_id=name, type="public-key", response=parts)


def _damage(data: st.DataObject, response: dict[str, str], *names: str) -> dict[str, str]:
    """Replace, remove or add some bytes of one of the parts."""
    name = data.draw(st.sampled_from(names))
    raw = decode(response[name])
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 40)))
    damaged = raw[:start] + data.draw(_BYTES) + raw[end:]
    assume(damaged != raw)
    return {**response, name: encode(damaged)}


def _refusal(verify: Callable[[], object]) -> errors.ErrorKind | None:
    try:
        verify()
    except errors.Refusal as refusal:
        return refusal.kind
    return None


@given(data=st.data())
def test_a_damaged_signature_is_refused(data: st.DataObject) -> None:
    """Whatever a sender makes up, the answer is one refusal."""
    known = _record()
    response = _damage(data, known.signed, "clientDataJSON", "authenticatorData", "signature", "userHandle")
    answer = _assertion(known.name, response)
    is_other_handle = response["userHandle"] != known.signed["userHandle"]  # compared with the account, not signed
    key = known.public_key
    kind = _refusal(lambda: ceremonies.verify_assertion(_PARTY, answer, known.challenge, public_key=key, sign_count=0))
    assert kind is (None if is_other_handle else errors.PASSKEY_REFUSED)
    assert _refusal(lambda: ceremonies.challenge_in(response["clientDataJSON"])) in (None, errors.PASSKEY_REFUSED)


@given(data=st.data())
def test_a_damaged_attestation_is_refused_or_means_the_same(data: st.DataObject) -> None:
    known = _record()
    credential = _new_credential(known.name, _damage(data, known.created, "attestationObject"))
    verified: list[ceremonies.Registered] = []
    kind = _refusal(lambda: verified.append(ceremonies.verify_registration(_PARTY, credential, known.challenge)))
    assert kind is errors.PASSKEY_REFUSED or verified[0].credential_id == known.name
