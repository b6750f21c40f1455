"""Event payloads: round trips, large texts and invalid bodies."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from loremark.base import ids
from tests.features.signed_tool import event_body, events_of, rotate, sessions_of, tool_for
from tests.features.steps import run_sql, status_and_body
from tests.support import databases
from tests.support.people import Person
from tests.support.properties import examples
from tests.support.service import Service, run_service, settings_for

BAD_BODY = (400, {"error": "Invalid request body"})
TOO_LARGE = (413, {"error": "Request body too large"})
ENCODING = (415, {"error": "Content-Encoding must be gzip or identity"})
WRONG = (401, {"error": "Invalid signature"})
ZIPPED = {"Content_Encoding": "gzip"}

_TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
_LARGE = st.builds(lambda letter, size: letter * size, st.sampled_from(["x", "ß", "語", "🪨", "\0"]), st.just(9000))
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS
    | _LARGE
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(_TEXTS | st.sampled_from(["$blob", "size", "source"]), inner, max_size=4)
    ),
    max_leaves=12,
)
_PAYLOADS = st.lists(st.dictionaries(_TEXTS, _VALUES, max_size=5), min_size=1, max_size=8)


def _shuffled(value: Any) -> Any:
    """The same value with all object keys in a different order."""
    if isinstance(value, dict):
        return {key: _shuffled(value[key]) for key in reversed(value)}
    return [_shuffled(entry) for entry in value] if isinstance(value, list) else value


async def _read_payload(owner: Person, accepted: dict[str, Any], query: str = "?blobs=inline") -> Any:
    return {each["id"]: each["payload"] for each in await events_of(owner, accepted["sessionId"], query)}[
        accepted["eventId"]
    ]


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
def test_any_object_round_trips(engine: str, tmp_path: Path) -> None:
    """One service for all examples; each example sends a few payloads concurrently."""
    database_url = databases.fresh(engine, tmp_path)
    with asyncio.Runner() as runner:
        running = run_service(settings_for(tmp_path, database_url))
        service = runner.run(running.__aenter__())
        owner = runner.run(service.owner())

        async def round_trip(payloads: list[dict[str, Any]]) -> None:
            source = ids.new("src")
            accepted = await asyncio.gather(
                *(tool.ingest(service.http, each, X_Service_Source=source) for each in payloads)
            )
            found: dict[str, Any] = {}
            for session_id in {each["sessionId"] for each in accepted}:
                found |= {each["id"]: each for each in await events_of(owner, session_id, "?blobs=inline")}
            for payload, answer in zip(payloads, accepted, strict=True):
                stored = found[answer["eventId"]]["payload"]
                assert json.dumps(stored, sort_keys=True) == json.dumps(payload, sort_keys=True)
                again = await tool.ingest(service.http, _shuffled(payload))
                assert (again["eventId"], again["duplicate"]) == (answer["eventId"], True)

        tool = runner.run(tool_for(owner))

        @settings(
            max_examples=examples(25), deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
        )
        @given(_PAYLOADS)
        def check(payloads: list[dict[str, Any]]) -> None:
            runner.run(round_trip(payloads))

        try:
            check()
        finally:
            runner.run(running.__aexit__(None, None, None))


@pytest.mark.anyio
@pytest.mark.parametrize("large", [False, True])
async def test_nested_payload_is_rejected_or_round_trips(service: Service, large: bool) -> None:
    """Whatever is accepted can be read again, with and without blobs."""
    owner = await service.owner()
    accepted = []
    for depth in (190, 198, 199, 300, 600, 990, 20_000):
        for opened, closed in (("[", "]"), ('{"a":', "}")):
            core = json.dumps("x" * 9000) if large else "1"
            raw = f'{{"event":"session_save","payload":{{"a":{opened * depth}{core}{closed * depth}}}}}'.encode()
            tool = await tool_for(owner, name=f"{depth}")
            answer = await tool.post(service.http, raw)
            if answer.status_code == 400:
                assert status_and_body(answer) == BAD_BODY
                continue
            assert answer.status_code == 202, (depth, answer.text)
            accepted.append(depth)
            path = f"/api/v2/sessions/{answer.json()['sessionId']}/events"
            inline = await owner.get(f"{path}?blobs=inline")
            assert inline.status_code == (await owner.get(path)).status_code == 200, depth
            assert f"{opened * depth}{core}{closed * depth}" in inline.text
            assert (await owner.delete(f"/api/projects/{tool.project_id}")).status_code == 204
    assert sorted(accepted) == [190, 190, 198, 198]
    await service.wait_for_jobs()


@pytest.mark.anyio
async def test_invalid_body_is_rejected(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    for raw in (
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        b'{"event":"session_save"}',
        b'{"payload":{}}',
        b'{"event":"session_save","payload":[]}',
        b'{"event":"session_save","payload":null}',
        b'{"event":"session_save","payload":"{}"}',
        b'{"event":"no_such_event","payload":{}}',
        b'{"event":7,"payload":{}}',
        b'{"event":"session_save","payload":{}} trailing',
        b'{"event":"session_save","payload":{"a":1e999}}',
        b'{"event":"session_save","payload":{"a":"\xff"}}',
    ):
        assert status_and_body(await tool.post(service.http, raw)) == BAD_BODY, raw
    assert await sessions_of(owner, tool.project_id) == []


@pytest.mark.anyio
async def test_compressed_bodies_have_the_same_limits(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    max_chars = 4 * 1024 * 1024 - len(event_body({"a": ""}))
    largest, larger = event_body({"a": "x" * max_chars}), event_body({"a": "x" * (max_chars + 1)})
    bomb = gzip.compress(b" " * (200 * 1024 * 1024), 1)
    assert len(bomb) < 4 * 1024 * 1024
    valid = gzip.compress(event_body({"a": 1}))
    assert status_and_body(await tool.post(service.http, bomb, **ZIPPED)) == TOO_LARGE
    assert status_and_body(await tool.post(service.http, gzip.compress(larger), **ZIPPED)) == TOO_LARGE
    assert status_and_body(await tool.post(service.http, larger)) == TOO_LARGE
    assert status_and_body(await tool.post(service.http, valid, Content_Encoding="br")) == ENCODING
    assert status_and_body(await tool.post(service.http, valid, Content_Encoding="gzip, gzip")) == ENCODING
    assert status_and_body(await tool.post(service.http, valid)) == BAD_BODY
    for broken in (b"", b"no gzip", valid[:-1], valid[:-5] + b"\xff" + valid[-4:], valid + b"x", valid + valid):
        assert status_and_body(await tool.post(service.http, broken, **ZIPPED)) == BAD_BODY, broken
    first = await tool.post(service.http, gzip.compress(largest), **ZIPPED)
    assert first.status_code == 202
    assert (await tool.post(service.http, largest, Content_Encoding="identity")).json()["duplicate"] is True


@pytest.mark.anyio
@pytest.mark.own_service
async def test_large_texts_are_stored_by_hash_and_restored(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    texts = ["x" * 8192, "x" * 8193, "ß" * 4096, "ß" * 4096 + "x", "語" * 2730 + "xx", "語" * 2731, "🪨" * 2049]
    payload = {"deep": [{"texts": texts}], "again": texts[1]}
    accepted = await tool.ingest(service.http, payload)

    def expected(text: str) -> Any:
        content = text.encode()
        is_large = len(content) > 8192
        return {"$blob": hashlib.sha256(content).hexdigest(), "size": len(content)} if is_large else text

    stored = await _read_payload(owner, accepted, "")
    assert stored == {"deep": [{"texts": [expected(text) for text in texts]}], "again": expected(texts[1])}
    assert sum(isinstance(each, dict) for each in stored["deep"][0]["texts"]) == 4
    assert await _read_payload(owner, accepted) == payload
    other = await tool.ingest(service.http, {"once more": texts[1]})
    assert await _read_payload(owner, other) == {"once more": texts[1]}
    hashes = sorted(hashlib.sha256(text.encode()).hexdigest() for text in (texts[1], texts[3], texts[5], texts[6]))
    files = await service.runtime.blobs.list_project(tool.project_id)
    assert sorted(path.rpartition("/")[2] for path in files) == hashes
    rows = await run_sql(service, "SELECT sha256, size_bytes FROM blobs ORDER BY sha256")
    assert [row[0] for row in rows] == hashes
    assert sorted(row[1] for row in rows) == [8193, 8193, 8193, 8196]
    sizes = await run_sql(service, "SELECT payload, size_bytes FROM events")
    assert [len(row[0].encode()) for row in sizes] == [row[1] for row in sizes]


@pytest.mark.anyio
async def test_hash_does_not_give_access_to_other_blobs(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    text = "The other project's diff. " * 500
    reference = {"$blob": hashlib.sha256(text.encode()).hexdigest(), "size": len(text)}
    await (await tool_for(owner)).ingest(service.http, {"diff": text})
    for person in (owner, stranger):
        tool = await tool_for(person, name="Curious")
        for payload in (
            {"diff": reference},
            {"diff": {**reference, "size": "\0"}},
            {"list": [reference, {"more": reference}]},
        ):
            assert await _read_payload(person, await tool.ingest(service.http, payload)) == payload
    tool = await tool_for(owner, name="Odd")
    odd: list[Any] = ["", "\0", "../../keys/encryption.key", "x" * 5000, 7, None]
    for name in odd:
        payload = {"diff": {"$blob": name, "size": 1}}
        assert await _read_payload(owner, await tool.ingest(service.http, payload)) == payload, name


@pytest.mark.anyio
async def test_forged_blob_reference_is_returned_unchanged(service: Service) -> None:
    """Even if it names a blob of the same project, or a few kilobytes could return gigabytes."""
    owner = await service.owner()
    tool = await tool_for(owner)
    text = "A large text of this project. " * 500
    await tool.ingest(service.http, {"diff": text})
    reference = {"$blob": hashlib.sha256(text.encode()).hexdigest(), "size": len(text)}
    for payload in (
        reference,
        {"diff": [reference] * 50},
        {"a": reference, "b": text},
        {"$$blob": 1, "$$$blob": reference, "blob": reference},
    ):
        accepted = await tool.ingest(service.http, payload)
        assert await _read_payload(owner, accepted) == payload
        if payload.get("b") != text:
            assert await _read_payload(owner, accepted, "") == payload


@pytest.mark.anyio
async def test_event_pages_are_limited_in_bytes(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    many = {f"k{number}": "x" * 8_000 for number in range(300)}  # 2.4 MB that stay in the payload
    large = {f"b{number}": f"{number}" * 1_000_000 for number in range(3)}  # 3 MB that go out as blobs
    sent: list[Any] = [{"n": n, **(large if n > 4 else many)} for n in range(10)] + [{"n": 10}]
    for payload in sent:
        accepted = await tool.post(service.http, gzip.compress(event_body(payload)), Content_Encoding="gzip")
        assert accepted.status_code == 202, accepted.text
    path = f"/api/v2/sessions/{accepted.json()['sessionId']}/events"
    for query in ("?blobs=inline", "?blobs=inline&limit=2", "?"):
        found: list[Any] = []
        cursor: str | None = ""
        pages = 0
        while cursor is not None:
            answer = await owner.get(f"{path}{query}{cursor}")
            assert answer.status_code == 200
            assert len(answer.content) < 16 * 1024 * 1024
            found += [entry["payload"] for entry in answer.json()]
            pages += 1
            following = answer.headers.get("x-next-cursor")
            cursor = f"&cursor={following}" if following else None
        assert [payload["n"] for payload in found] == list(range(11))
        assert pages > 1
        if "inline" in query:
            assert found == sent


@pytest.mark.anyio
async def test_lone_surrogate_does_not_reject_the_event(service: Service) -> None:
    """JavaScript sends half a surrogate pair when a text was cut in the middle of an emoji."""
    owner = await service.owner()
    tool = await tool_for(owner)
    raw = rb'{"event":"session_save","payload":{"a":"x\ud83d","b":"\ud83d\ude00\udc00","c":"\\ud800","\ud801":1}}'
    accepted = await tool.post(service.http, raw)
    assert accepted.status_code == 202
    assert await _read_payload(owner, accepted.json()) == {"a": "x\ufffd", "b": "😀\ufffd", "c": "\\ud800", "\ufffd": 1}


@pytest.mark.anyio
async def test_body_with_too_many_values_is_rejected_before_decoding(service: Service) -> None:
    tool = await tool_for(await service.owner())
    for value in (b"[[[[[[[[[]]]]]]]]]", b"0", b'{"a":1}', b'""'):
        raw = b'{"event":"session_save","payload":{"a":[' + b",".join([value] * 200_000) + b"]}}"
        answer = await tool.post(service.http, gzip.compress(raw), Content_Encoding="gzip")
        assert status_and_body(answer) == (400, {"error": "Invalid request body"})
    long_text = await tool.send(service.http, {"code": '{[,\\"' * 300_000})
    assert long_text.status_code == 202  # only values count, not characters in a string


@pytest.mark.anyio
async def test_large_event_does_not_block_others(service: Service) -> None:
    tool = await tool_for(await service.owner())
    await tool.ingest(service.http, {"warm": True})
    raw = event_body({"a": [{"b": number} for number in range(45_000)]})
    packed = gzip.compress(raw)
    headers = tool.headers(packed, Content_Encoding="gzip")
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    ticking = asyncio.create_task(tick())
    answer = await service.http.post("/api/v2/ingest", content=packed, headers=headers)
    ticking.cancel()
    assert answer.status_code == 202
    assert ticks > 10, "the event loop kept running while the body was decoded"


@pytest.mark.anyio
async def test_rejected_event_leaves_no_blob(service: Service) -> None:
    """With a revoked secret still cached by the fast check, or an archived project, no large texts are stored."""
    owner = await service.owner()
    tool = await tool_for(owner)
    await tool.ingest(service.http, {"warm": True})
    new = await rotate(owner, tool, revokeNow=True)
    assert status_and_body(await tool.send(service.http, {"diff": "x" * 10_000})) == WRONG
    await owner.patch(f"/api/projects/{tool.project_id}", {"status": "archived"})
    assert (await new.send(service.http, {"diff": "x" * 10_000})).status_code == 409
    assert await service.runtime.blobs.list_project(tool.project_id) == []
