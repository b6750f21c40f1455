"""Both clients against a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from loremark.base import signing
from loremark.client.call import ApiError, Call
from loremark.client.calls.brain import get_brain
from loremark.client.calls.events import send_signed_event
from loremark.client.calls.identity import get_me
from loremark.client.calls.items import get_item, list_items, list_revisions, update_item
from loremark.client.calls.sessions import enrich, list_jobs, list_sessions
from loremark.wire.answers import AnswerDone, AnswerToken
from tests.cli.harness import Server, serving
from tests.client.either import Either
from tests.support import databases
from tests.support.polling import until

TEXT = "We retry webhooks three times because customers' servers restart."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, databases.fresh_sqlite(folder)) as running:
        yield running


def test_event_to_answer(server: Server, connect: Callable[..., Either]) -> None:
    project = server.create_project("Client")
    client = connect(server.url, server.key, {project: "an outdated secret"})
    assert client.request(get_me()).value.role == "owner"
    for number in range(3):
        change = {"category": "decision", "title": f"Webhooks are retried, part {number}", "content": TEXT}
        payload = {"summary": "", "changes": [change], "source": f"tool-{number}"}
        saved = client.request(send_signed_event(project, "session_save", payload)).value
        assert client.request(send_signed_event(project, "session_save", payload)).value.duplicate
    assert len(client.paginate(list_sessions(project, limit=1))) == 3

    session = saved.session_id
    job = client.request(enrich(session)).value.job_id
    until(lambda: (job, "completed") in {(each.id, each.status) for each in client.request(list_jobs(session)).value})
    (item,) = client.request(list_items(project)).value
    seen = client.request(get_item(item.id))
    assert seen.etag is not None
    changed = client.request(update_item(item.id, if_match=seen.etag, title="Webhooks are retried three times")).value
    with pytest.raises(ApiError) as conflict:
        client.request(update_item(item.id, if_match=seen.etag, title="Too late"))
    assert conflict.value.status == 412
    assert client.request(get_item(item.id)).value == changed
    versions = [each.version for each in client.paginate(list_revisions(item.id))]
    assert (versions[0], versions[-1]) == (changed.version, 1)

    brain = client.request(get_brain(project))
    assert (client.request(get_brain(project)), TEXT in brain.value.markdown) == (brain, True)
    events = client.ask(project, "How often are webhooks retried?")
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert "".join(event.content for event in events if isinstance(event, AnswerToken)) == done.answer
    assert [source.item_id for source in done.sources if source.used] == [item.id]


def test_error_responses(server: Server, connect: Callable[..., Either]) -> None:
    client = connect(server.url, server.key)
    refused_calls: list[tuple[Call[Any], tuple[int, str]]] = [
        (get_item("itm_nowhere"), (404, "Item not found")),
        (list_items("prj_nowhere"), (404, "Project not found")),
        (get_brain(server.project, 7), (400, "tokenBudget must be between 200 and 200000")),
        (send_signed_event("prj_nowhere", "session_save", {}), (404, "Project not found")),
    ]
    for call, payload in refused_calls:
        with pytest.raises(ApiError) as refused:
            client.request(call)
        assert (refused.value.status, str(refused.value)) == payload
    wrong = connect(server.url, "service_sk_wrong", {server.project: signing.sha256_hex("no")})
    with pytest.raises(ApiError) as unknown:
        wrong.request(send_signed_event(server.project, "session_save", {"summary": "x"}))
    assert (unknown.value.status, str(unknown.value)) == (401, "Invalid signature")
