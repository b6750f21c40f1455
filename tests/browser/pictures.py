"""Screenshots of the dashboard.

``python -m tests.browser.pictures`` retakes those that the documentation shows.
``python -m tests.browser.pictures --out DIR NAME …`` takes others, such as ``billing-phone-dark``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Page

from tests.browser import codebase, sample_data
from tests.browser.conftest import SETTINGS
from tests.browser.driver import Driver
from tests.browser.hygiene_data import import_untidy_items
from tests.browser.site import Site, User
from tests.browser.visit import open_visit
from tests.servers.https import Authority
from tests.support import databases
from tests.support.processes import Loremark

ROOT = Path(__file__).parents[2]
OUT = ROOT / "docs" / "pictures"
Prepare = Callable[[Page], Awaitable[None]]


async def _nothing(page: Page) -> None:
    return None


async def _open_palette(page: Page) -> None:
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox", name="Search or jump to").fill("stock")
    await page.wait_for_timeout(500)


async def _welcome(page: Page) -> None:
    await page.get_by_role("heading", name="Choose your agent").evaluate("heading => heading.scrollIntoView()")
    await page.mouse.wheel(0, -80)
    await page.wait_for_timeout(400)


async def _ask(page: Page) -> None:
    await page.get_by_role("textbox", name="Your question").fill("How long do we keep orders?")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Ask again").wait_for()
    await page.wait_for_timeout(500)


# Another team, so that its projects appear on no other screenshot.
_MORNING = """async () => {
  const send = async (method, path, body, key) => {
    const headers = {"Content-Type": "application/json", ...(key ? {Authorization: `Bearer ${key}`} : {})};
    const answer = await fetch(path, {method, headers, body: JSON.stringify(body)});
    return answer.ok && answer.status !== 204 ? await answer.json() : null;
  };
  const email = `olga.${Date.now()}@example.com`;
  const person = {email, password: "correct horse battery staple", name: "Olga Owner", teamName: "Acme"};
  await send("POST", "/api/auth/register", person);
  const {key} = await send("POST", "/api/keys", {name: "laptop"});
  const told = {
    "Data warehouse": [["Loads run every night at two.", "Tables are partitioned by day."]],
    "Storefront": [["Pages are rendered on the server first.", "Prices are always shown with tax."]],
    "Checkout service": [
      ["We decided that baskets expire after 30 minutes without a change; the stock is given back then."],
      ["We decided that baskets expire after 60 minutes without a change; the stock is given back then."],
      ["Cards go through one provider, always with an idempotency key.", "maybe the cache is slow sometimes"],
    ],
  };
  const old = await send("POST", "/api/projects", {name: "Old shop"});
  await send("PATCH", `/api/projects/${old.id}`, {status: "archived"});
  for (const [name, days] of Object.entries(told)) {
    const {id} = await send("POST", "/api/projects", {name});
    for (const [day, learned] of days.entries()) {
      const changes = learned.map((description) => ({category: "decision", description, files: ["README.md"]}));
      const payload = {source: `claude-code:${day}`, summary: "A day's work.", changes};
      const {sessionId} = await send("POST", "/api/v2/events", {projectId: id, event: "session_save", payload}, key);
      await send("POST", `/api/v2/sessions/${sessionId}/enrich`, {}, key);
      await new Promise((done) => setTimeout(done, 800));
    }
  }
}"""

_PAID = """async () => {
  for (const [key, packId] of [["one", "credits_2_5m"], ["two", "credits_1m"], ["three", "credits_1m"]])
    await fetch("/api/billing/credits/purchase", {
      method: "POST",
      headers: {"Content-Type": "application/json", "Idempotency-Key": key},
      body: JSON.stringify({packId}),
    });
}"""

_HOOKED = """async (projectId) => {
  if ((await (await fetch(`/api/webhooks?projectId=${projectId}`)).json()).length) return;
  const headers = {"Content-Type": "application/json"};
  for (const [url, events, secret] of [
    ["https://chat.example.com/hooks/7f3a", ["enrichment.failed", "item.created"], "a secret of ours"],
    ["https://boards.example.com/loremark", ["brain.updated"], null],
  ]) {
    const body = JSON.stringify({url, events, secret, projectId});
    const made = await (await fetch("/api/webhooks", {method: "POST", headers, body})).json();
    await fetch(`/api/webhooks/${made.id}/test`, {method: "POST"});
  }
}"""


async def _home(page: Page) -> None:
    await page.evaluate(_MORNING)
    await page.reload()
    await page.wait_for_timeout(1000)


async def _billing(page: Page) -> None:
    await page.evaluate(_PAID)
    await page.reload()
    await page.wait_for_timeout(1000)


async def _webhooks(page: Page) -> None:
    await page.evaluate(_HOOKED, page.url.split("/")[4])
    await page.reload()
    await page.get_by_role("button", name="Deliveries").first.click()
    await page.wait_for_timeout(600)


async def _imports(page: Page) -> None:
    await page.get_by_role("button", name="src/core/database.py").first.focus()
    await page.evaluate("document.getElementById('imports').scrollIntoView(); scrollBy(0, -80)")
    await page.wait_for_timeout(300)


async def _hygiene(page: Page) -> None:
    check = page.get_by_role("button", name="Run weekly check")
    if await page.get_by_role("button", name="Select all safe").count() == 0:
        await check.click()
    await page.get_by_role("button", name="Select all safe").click()
    for kind in ("Rename", "Merge", "Deprecate"):
        await page.get_by_role("list", name=kind).get_by_role("button", expanded=False).first.click()
    await page.evaluate("scrollTo(0, 0)")
    await page.wait_for_timeout(400)


async def _edit_item(page: Page) -> None:
    await page.get_by_role("button", name="Edit").click()
    await page.wait_for_timeout(300)


async def _select_some(page: Page) -> None:
    for place in range(3):
        await page.get_by_role("checkbox").nth(place).click()


async def _see_versions(page: Page) -> None:
    await page.get_by_role("heading", name="Versions").scroll_into_view_if_needed()
    await page.mouse.wheel(0, 2000)
    await page.wait_for_timeout(300)


async def _test_models(page: Page) -> None:
    await page.get_by_role("button", name="Test embeddings").click()
    await page.get_by_text("It answered in").wait_for()


# name: (path, signed in, preparation). {p} is the project; for the other placeholders see path_values().
PAGES: dict[str, tuple[str, bool, Prepare]] = {
    "sign-in": ("/sign-in", False, _nothing),
    "register": ("/register", False, _nothing),
    "invitation": ("/invitation?token={invitation}", False, _nothing),
    "welcome": ("/welcome?agent=claude-code", True, _welcome),
    "home": ("/", True, _home),
    "palette": ("/", True, _open_palette),
    "review": ("{p}/review", True, _nothing),
    "review-conflict": ("{p}/review?tab=conflicts", True, _nothing),
    "memory": ("{p}/memory", True, _nothing),
    "memory-selected": ("{p}/memory", True, _select_some),
    "memory-meaning": ("{p}/memory?mode=semantic&q=why%20do%20orders%20stay", True, _nothing),
    "item": ("{p}/memory/{item}", True, _nothing),
    "item-edit": ("{p}/memory/{item}", True, _edit_item),
    "item-versions": ("{p}/memory/{contested}", True, _see_versions),
    "map": ("{p}/map", True, _nothing),
    "context": ("{p}/map/{context}", True, _nothing),
    "brain": ("{p}/brain?budget=260", True, _nothing),
    "ask": ("{p}/ask", True, _ask),
    "sessions": ("{p}/sessions", True, _nothing),
    "session": ("{p}/sessions/{session}", True, _nothing),
    "genesis": ("{p}/genesis", True, _nothing),
    "genesis-imports": ("{p}/genesis?view=imports", True, _imports),
    "hygiene": ("{p}/hygiene", True, _hygiene),
    "webhooks": ("{p}/webhooks", True, _webhooks),
    "project-settings": ("{p}/settings", True, _nothing),
    "team": ("/team", True, _nothing),
    "keys": ("/keys", True, _nothing),
    "billing": ("/billing", True, _billing),
    "models": ("/models", True, _test_models),
    "audit": ("/audit", True, _nothing),
    "account": ("/account", True, _nothing),
}


def path_values(site: Site, user: User, sessions: list[str]) -> dict[str, str]:
    """Values for the placeholders in PAGES."""
    items = sample_data.items(user)
    with_evidence = [item for item in items if item["evidence"] and item["files"]]
    contexts = user.request("GET", "/api/contexts", params={"projectId": user.project_id})
    user.request("POST", "/api/team", json={"email": "noor@example.com", "role": "member"})
    return {
        "p": f"/p/{user.project_id}",
        "item": (with_evidence or items)[0]["id"],
        "contested": next((item["id"] for item in items if "conflict" in item["flags"]), items[0]["id"]),
        "session": sessions[-1],
        "context": next(context["id"] for context in contexts if context["schemaKey"] == "root/checkout/payments"),
        "invitation": site.invitation("noor@example.com"),
    }


def documented() -> list[str]:
    """The names of the pictures that the documentation shows."""
    texts = [path.read_text() for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    return sorted({name for text in texts for name in re.findall(r"pictures/([a-z-]+)\.png", text)})


def page_of(name: str) -> str:
    """The key in PAGES of a picture such as ``billing-phone-dark``."""
    page, device, theme = name.rsplit("-", 2)
    if page not in PAGES or device not in ("desktop", "phone") or theme not in ("light", "dark"):
        raise ValueError(f"{name} is not PAGE-(desktop|phone)-(light|dark)")
    return page


async def _take(driver: Driver, url: str, user: User, name: str, path: str, out: Path) -> None:
    _, signed_in, prepare = PAGES[page_of(name)]
    window = await open_visit(
        driver, url, user if signed_in else None, phone="-phone-" in name, dark=name.endswith("-dark")
    )
    page = await window.go(path)
    with contextlib.suppress(TimeoutError):
        # The live stream never ends, so wait for the content of the page instead.
        await asyncio.wait_for(page.wait_for_selector("h1"), 60)
    await page.wait_for_timeout(600)
    await prepare(page)
    await page.screenshot(path=out / f"{name}.png")
    for complaint in window.console_errors:
        print(f"{name}: {complaint}")
    await window.context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("names", nargs="*", default=documented())
    given = parser.parse_args()
    pages = {name: page_of(name) for name in given.names}
    given.out.mkdir(parents=True, exist_ok=True)
    driver = Driver()
    with tempfile.TemporaryDirectory(prefix="loremark-pictures-") as made:
        folder = Path(made)
        authority = Authority(folder / "authority")
        git = codebase.PausableGitServer(authority, folder / "served")
        settings = {**SETTINGS, "LOREMARK_CA_FILE": str(authority.ca_file), **git.settings}
        with git, Loremark(folder, databases.fresh_sqlite(folder), settings).start() as process:
            site = Site(process.wait_ready(), "sqlite")
            olga = site.team()
            known = path_values(site, olga, sample_data.record_history(olga))
            if any(page.startswith("genesis") for page in pages.values()):
                codebase.scan(olga, codebase.serve_codebase(git))
            # Hygiene last, because its untidy items would appear on the other pictures.
            for untidy in (False, True):
                names = [name for name, page in pages.items() if (page == "hygiene") == untidy]
                if untidy and names:
                    import_untidy_items(olga)
                for name in names:
                    path = PAGES[pages[name]][0].format(**known)
                    driver.run(_take(driver, site.url, olga, name, path, given.out))
    driver.close()


if __name__ == "__main__":
    main()
