"""Hostile text in every field that a page shows is displayed as text and has no other effect."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.hostile_data import (
    IMAGE,
    NAME,
    SCRIPT,
    import_hostile_project,
    import_lines,
    item,
    set_hostile_names,
)
from tests.browser.site import Site, User
from tests.browser.visit import DESKTOP, PHONE, Visit

# Returns a list of security and layout faults on the current page.
_FAULTS = """async () => {
  const faults = [];
  const tell = (what, found) => [...found].forEach((one) => faults.push(`${what}: ${one.outerHTML.slice(0, 300)}`));
  const address = (one) => one.href?.baseVal ?? one.href ?? one.src ?? one.action ?? "";
  const all = [...document.querySelectorAll("*")];
  const root = document.documentElement;
  if (window.hit !== undefined) faults.push(`it ran: ${window.hit}`);
  if ({}.isAdmin !== undefined || {}.size !== undefined) faults.push("all objects have changed");
  tell("foreign element", document.querySelectorAll("iframe, object, embed, base, frame, style:not([nonce])"));
  tell("foreign script", [...document.scripts].filter((one) => !one.src.startsWith(location.origin + "/assets/")));
  tell("handler", all.filter((one) => one.getAttributeNames().some((name) => name.startsWith("on"))));
  tell("address", all.filter((one) => address(one) && !/^(https?:|mailto:|data:image\\/svg)/.test(address(one))));
  const isWide = () => Math.max(root.scrollWidth, document.body.scrollWidth) > root.clientWidth;
  // Wait for the layout to settle after a resize.
  for (let frames = 0; isWide() && frames < 30; frames += 1) await new Promise(requestAnimationFrame);
  if (isWide()) {
    const sticksOut = (one) => one.getBoundingClientRect().right > root.clientWidth + 1;
    const spills = (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === "visible";
    const wide = all.filter((one) => one.isConnected && (sticksOut(one) || spills(one)));
    tell(`scrolls sideways at ${root.clientWidth}`, wide.slice(-1));
    if (wide.length === 0) faults.push(`scrolls sideways at ${root.clientWidth}`);
  }
  return faults;
}"""


async def _check_page(window: Visit, path: str, *texts: str) -> list[str]:
    """Return faults: the page has to show these texts verbatim, without any effect."""
    page = await window.go(path)
    try:
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        for text in texts:
            await expect(page.locator("body")).to_contain_text(text)
    except AssertionError as missing:
        return [f"{path}: {missing}", *await _faults(page, path)]
    return await _faults(page, path)


async def _faults(page: Page, where: str) -> list[str]:
    """Faults at phone and desktop size."""
    found: list[str] = []
    for size in (PHONE, DESKTOP):
        await page.set_viewport_size(size)  # type: ignore[arg-type]
        found += [f"{where}: {fault}" for fault in await page.evaluate(_FAULTS)]
    return found


async def test_hostile_text_has_no_effect(driver: Driver, site: Site, visit: OpenVisit) -> None:
    olga = site.team(name=NAME)
    import_hostile_project(olga)
    chat = set_hostile_names(site, olga)
    items = olga.request("GET", "/api/v2/items", params={"projectId": olga.project_id})
    first = next(one["id"] for one in items if len(one["evidence"]) > 1)
    sessions = olga.request("GET", "/api/v2/sessions", params={"projectId": olga.project_id})
    session = next(one["id"] for one in sessions if one["eventCount"] > 3)
    context = olga.request("GET", "/api/contexts", params={"projectId": olga.project_id})[0]["id"]
    window = await visit(olga)
    dialogs: list[str] = []
    window.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    found: list[str] = []
    for path, texts in {
        "/": [NAME, SCRIPT],
        "{p}/review": [IMAGE],
        "{p}/memory": [f"{IMAGE} {{{{7*7}}}}"],
        f"{{p}}/memory/{first}": [
            f"{IMAGE} {{{{7*7}}}}",
            SCRIPT,
            "<svg onload=window.hit=1>",
            "{{7*7}}",
            "${7*7}",
            "__proto__",
        ],
        "{p}/map": [NAME],
        f"{{p}}/map/{context}": [NAME, SCRIPT],
        "{p}/brain": [],
        f"{{p}}/ask/{chat}": [NAME, f"{IMAGE} constructor __proto__?"],
        "{p}/sessions": [IMAGE],
        f"{{p}}/sessions/{session}": [IMAGE, SCRIPT],
        "{p}/genesis": [],
        "{p}/hygiene": [],
        "{p}/webhooks": ["127.0.0.1:9"],
        "{p}/settings": [],
        "/team": [NAME, "<img/src=x/onerror=window.hit=1>@example.com"],
        "/keys": [NAME],
        "/billing": [],
        "/audit": [],
        "/account": [NAME],
        "/welcome": [],
    }.items():
        found += await _check_page(window, path, *texts)
    assert not found, "\n".join(found)
    found += await _check_page(window, "{p}/memory")
    await window.page.keyboard.press("Control+k")
    await window.page.get_by_role("combobox", name="Search or jump to").fill("review")
    await expect(window.page.get_by_role("option").filter(has_text=IMAGE).first).to_be_visible()
    found += await _faults(window.page, "palette")
    assert not found, "\n".join(found)
    assert dialogs == []


_EXPENSIVE = {
    "quotes": ">" * 5_000 + " deep",
    "lists": "- " * 5_000 + "deep",
    "emphasis": "*a **b " * 10_000 + "c** d*" * 10_000,
    "lines": "a\n" * 100_000,
    "brackets": "[" * 200_000,
    "word": "w" * 200_000,
}


@pytest.mark.nightly
async def test_expensive_markdown_is_displayed(driver: Driver, visit: OpenVisit, olga: User) -> None:
    """Deeply nested, very long or ambiguous Markdown neither breaks nor blocks the page."""
    import_lines(olga, [item(title=name, content=text, files=[], tags=[]) for name, text in _EXPENSIVE.items()])
    items = {
        one["title"]: one["id"] for one in olga.request("GET", "/api/v2/items", params={"projectId": olga.project_id})
    }
    window = await visit(olga)
    for name, text in _EXPENSIVE.items():
        page = await window.go(f"{{p}}/memory/{items[name]}")
        await expect(page.get_by_role("heading", level=1)).to_contain_text(name)
        end = text[-4:] if len(text) < 40_000 else text[:40]
        await expect(page.get_by_role("main"), name).to_contain_text(end)
        assert await page.evaluate(_FAULTS) == [], name
        assert await page.evaluate("document.querySelectorAll('*').length") < 25_000


@pytest.mark.parametrize("path", ["/", "/sign-in"])
async def test_content_security_policy_blocks_injected_code(driver: Driver, visit: OpenVisit, path: str) -> None:
    """Even if text were injected as markup, it could neither run scripts nor change styles."""
    window = await visit()
    answer = httpx.get(window.url + path, trust_env=False, verify=False)
    rules = dict(rule.strip().split(" ", 1) for rule in answer.headers["content-security-policy"].split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["frame-ancestors"] == "'none'"
    assert rules["script-src"] == rules["form-action"] == "'self'"
    assert re.fullmatch(r"'self' 'nonce-[\w-]{20,}'", rules["style-src"])
    page = await window.go("/sign-in")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.evaluate("""() => {
      const script = document.createElement("script");
      script.text = "window.hit = 1";
      const style = document.createElement("style");
      style.textContent = "body { display: none }";
      const handler = document.createElement("div");
      handler.setAttribute("onclick", "window.hit = 2");
      document.body.append(script, style, handler);
      handler.click();
    }""")
    assert await page.evaluate("[window.hit ?? null, getComputedStyle(document.body).display]") == [None, "block"]
    violations = [complaint for complaint in window.console_errors if "Content Security Policy" in complaint]
    assert len(violations) == len(window.console_errors) == 3
    window.console_errors.clear()
