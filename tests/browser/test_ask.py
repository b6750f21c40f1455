"""The Ask page: answers with sources, follow-up questions, and a worker on another origin."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import SETTINGS, OpenVisit
from tests.browser.driver import Driver
from tests.browser.polling import eventually
from tests.browser.site import Site, User
from tests.browser.visit import open_visit
from tests.servers.scripted_model import Say, ScriptedModel
from tests.support import databases
from tests.support.processes import Loremark, free_port

_FACTS = (
    ("Payments are retried three times", "The payment worker retries a failed charge three times.", "src/payments.py"),
    ("Sessions are kept in Redis", "Sessions live in Redis for 30 minutes and outlive a restart.", "src/sessions.py"),
)
_QUESTION = "How often does the payment worker retry a failed charge?"


def _approve_facts(user: User) -> dict[str, str]:
    """Create approved memories; return their ids by title."""
    user.request("PATCH", f"/api/projects/{user.project_id}", json={"autoApproveThreshold": 0})
    session = ""
    for title, content, file in _FACTS:
        item = {"title": title, "content": content, "type": "decision", "files": [file], "confidence": 0.95}
        session = user.send_event("memory_operation", {"operation": "create", "item": item})["sessionId"]
    user.enrich(session)
    items = user.request("GET", "/api/v2/items", params={"projectId": user.project_id, "status": "approved"})
    return {item["title"]: item["id"] for item in items}


def _titles(user: User, word: str) -> list[str]:
    found = user.request("GET", "/api/v2/items", params={"projectId": user.project_id, "q": word})
    return [item["title"] for item in found]


def _chats(user: User) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = user.request("GET", "/api/v2/chat-sessions", params={"projectId": user.project_id})[
        "sessions"
    ]
    return found


async def _ask(page: Page, question: str) -> None:
    await page.get_by_role("textbox", name="Your question").fill(question)
    await page.keyboard.press("Enter")


async def test_answer_lists_sources_and_accepts_follow_up_questions(
    driver: Driver, visit: OpenVisit, olga: User
) -> None:
    items = _approve_facts(olga)
    window = await visit(olga)
    page = await window.go("{p}/ask")
    await expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    await expect(page.get_by_role("button", name=re.compile("Payments are retried three times"))).to_be_visible()

    await _ask(page, _QUESTION)
    answer = page.get_by_role("article", name="Answer", exact=True)
    await expect(answer).to_contain_text("retries a failed charge three times")
    source = answer.get_by_role("list", name="Sources").get_by_role("listitem").first
    await expect(source).to_contain_text(re.compile(r"cited.*(match|related), \d\d%", re.DOTALL))
    await expect(source).to_contain_text("src/payments.py")
    payments = items["Payments are retried three times"]
    link = source.get_by_role("link", name="Payments are retried three times")
    await expect(link).to_have_attribute("href", f"/p/{olga.project_id}/memory/{payments}")
    assert await window.accessibility() == []

    await _ask(page, "And where do sessions live?")
    await expect(answer).to_have_count(2)
    await expect(answer.last).to_contain_text("Redis")
    (chat,) = _chats(olga)
    assert (chat["title"], chat["messageCount"]) == (_QUESTION, 4)
    await expect(page).to_have_url(f"{window.url}/p/{olga.project_id}/ask/{chat['id']}")

    await page.get_by_role("button", name="Add to favorites").click()
    await expect(page.get_by_role("button", name="Remove from favorites")).to_be_visible()
    head = page.get_by_role("region", name="Conversation", exact=True)
    await head.get_by_role("button", name=re.compile("^Actions for")).click()
    await page.get_by_role("menuitem", name="Rename").click()
    await page.get_by_role("textbox", name="Title", exact=True).fill("Retries of charges")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Retries of charges")).to_be_visible()

    search, found = page.get_by_role("textbox", name="Search by title"), page.get_by_role("list", name="Conversations")
    await search.fill("parrots")
    await window.sees("No conversations match your search.")
    await search.fill("retr char")
    await page.get_by_text("Favorites", exact=True).click()
    await expect(found.get_by_role("link", name=re.compile("Retries of charges"))).to_be_visible()
    (chat,) = _chats(olga)
    assert (chat["title"], len(chat["favoritedBy"])) == ("Retries of charges", 1)


@pytest.mark.nightly
async def test_uncovered_question_can_be_saved_and_conversation_deleted(
    driver: Driver, visit: OpenVisit, olga: User
) -> None:
    _approve_facts(olga)
    window = await visit(olga, dark=True)
    page = await window.go("{p}/ask")
    await _ask(page, "Which colour do parrots like best?")
    await window.sees("Not in memory yet")
    assert await window.accessibility() == []
    await page.get_by_role("button", name="Save memory").click()
    await page.get_by_role("textbox", name="Title", exact=True).fill("Parrots in the test data are always green")
    await page.get_by_role("dialog").get_by_role("button", name="Save memory").click()
    await eventually(lambda: _titles(olga, "parrots"), ["Parrots in the test data are always green"])

    await page.get_by_role("list", name="Conversations").get_by_role("button", name=re.compile("parrots")).click()
    await page.get_by_role("menuitem", name="Delete").click()
    await expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    assert len(_chats(olga)) == 1, "not sent during the undo period"
    await page.get_by_role("button", name="Undo").click()
    conversation = page.get_by_role("link", name=re.compile("parrots"))
    await conversation.click()
    await expect(page.get_by_role("article", name="Answer", exact=True)).to_be_visible()
    await page.get_by_role("list", name="Conversations").get_by_role("button", name=re.compile("parrots")).click()
    await page.get_by_role("menuitem", name="Delete").click()
    await expect(conversation).to_have_count(0)
    await window.go("/team")
    await eventually(lambda: _chats(olga), [])  # leaving the page ends the undo period


@asynccontextmanager
async def _slow_proxy(port: int) -> AsyncIterator[str]:
    """A proxy that forwards responses in 7-byte pieces, so events are split at arbitrary points."""

    async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter, size: int) -> None:
        while piece := await source.read(size):
            target.write(piece)
            await target.drain()
            if size < 10:
                await asyncio.sleep(0.0005)
        target.close()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        there = asyncio.create_task(pump(reader, far_writer, 65536))
        try:
            await pump(far_reader, writer, 7)
        except ConnectionError:
            pass  # the browser closed the connection
        finally:
            there.cancel()
            far_writer.close()

    server = await asyncio.start_server(carry, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


@pytest.mark.nightly
async def test_streaming_from_another_origin_can_be_stopped_and_retried(driver: Driver, tmp_path: Path) -> None:
    api_port, worker_port = free_port(), free_port()
    address = databases.fresh("sqlite", tmp_path)
    with ScriptedModel() as model:
        model.answer(Say("Drei Versuche – nicht mehr. " * 40, each_s=0.05), Say("Three times, says “Größe” ✓ [1]."))
        async with _slow_proxy(worker_port) as worker_url:
            api = {
                **SETTINGS,
                "LOREMARK_BASE_URL": f"http://127.0.0.1:{api_port}",
                "LOREMARK_WORKER_URL": worker_url,
                "LOREMARK_WORKER_SECRET": "of both",
            }
            name = "openai:scripted-1"
            worker = {
                **api,
                "LOREMARK_LLM_SMALL": name,
                "LOREMARK_LLM_MEDIUM": name,
                "LOREMARK_LLM_BASE_URL": model.base_url(),
            }
            with (
                Loremark(tmp_path, address, api).start(port=api_port) as serving,
                Loremark(tmp_path, address, worker).start("worker", worker_port) as answering,
            ):
                olga = Site(serving.wait_ready(90), "sqlite").team()
                answering.wait_ready(90)
                _approve_facts(olga)
                window = await open_visit(driver, serving.url, olga)
                page = await window.go("{p}/ask")
                await _ask(page, _QUESTION)
                await expect(page.get_by_role("article", name="Answer in progress")).to_contain_text(
                    "Drei Versuche – nicht mehr."
                )
                await page.keyboard.press("Escape")
                await window.sees("You stopped this answer.")
                await asyncio.to_thread(model.wait_for_hang_up)
                await page.get_by_role("button", name="Ask again").click()
                answer = page.get_by_role("article", name="Answer", exact=True).last
                await expect(answer).to_contain_text("says “Größe” ✓")
                await expect(answer.get_by_role("list", name="Sources")).to_contain_text("Payments are retried")
                (chat,) = _chats(olga)
                kept = olga.request("GET", f"/api/v2/chat-sessions/{chat['id']}/messages")["messages"]
                assert kept[1]["content"].startswith("Drei Versuche – nicht"), "the partial answer is stored"
                assert len(kept[1]["content"]) < 500
                assert [message["role"] for message in kept] == ["user", "assistant"] * 2
                await window.context.close()
                assert set(window.external_requests) == {f"{worker_url}/ask"}
                assert window.console_errors == []
