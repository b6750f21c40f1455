"""A person at a browser. Whatever the browser complains of (an error, a broken policy) fails the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, ConsoleMessage, Locator, Page, Request, expect

from tests.browser.driver import Driver
from tests.browser.site import Someone

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
_AXE = Path(__file__).parents[2] / "dashboard" / "node_modules" / "axe-core" / "axe.min.js"
# A refusal that a page shows in words is no fault, though the browser writes it down as one.
_REFUSED = "Failed to load resource: the server responded with a status of"

expect.set_options(timeout=60_000)


class Visit:
    """One window of one person. Use ``page`` for everything that Playwright can do."""

    def __init__(self, context: BrowserContext, page: Page, url: str, someone: Someone | None) -> None:
        self.context = context
        self.page = page
        self.url = url
        self.someone = someone
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", self._asked)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_REFUSED):
            self.complaints.append(f"{message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.foreign.append(request.url)

    async def go(self, path: str) -> Page:
        """Open an address of the dashboard; ``{p}`` stands for the person's project."""
        project_id = self.someone.project_id if self.someone else ""
        await self.page.goto(self.url + path.replace("{p}", f"/p/{project_id}"))
        return self.page

    def see(self, text: str) -> Locator:
        return self.page.get_by_text(text).first

    async def sees(self, *texts: str) -> None:
        for text in texts:
            await expect(self.see(text)).to_be_visible()

    async def accessibility(self) -> list[str]:
        """What axe calls serious or critical on the page as it stands; a line for each place."""
        await self.page.evaluate(_AXE.read_text())
        rules = ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]
        found: dict[str, Any] = await self.page.evaluate(
            "(rules) => axe.run(document, {resultTypes: ['violations'], runOnly: rules})", rules
        )
        return [
            f"{violation['id']} ({violation['impact']}): {node['target']} {node['failureSummary']}"
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]

    def check(self) -> None:
        assert self.complaints == []
        assert self.foreign == [], "the page asked somebody else"


async def open_visit(
    driver: Driver, url: str, someone: Someone | None = None, *, phone: bool = False, dark: bool = False
) -> Visit:
    context = await driver.browser.new_context(
        viewport=PHONE if phone else DESKTOP,  # type: ignore[arg-type]
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
        has_touch=phone,
    )
    if someone is not None:
        await context.add_cookies([{"name": "loremark_login", "value": someone.cookie, "url": url}])
    return Visit(context, await context.new_page(), url, someone)
