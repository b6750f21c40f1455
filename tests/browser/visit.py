"""A user's browser window. Console errors and requests to other origins fail the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, ConsoleMessage, Locator, Page, Request, expect

from tests.browser.driver import Driver
from tests.browser.site import User

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
_AXE = Path(__file__).parents[2] / "dashboard" / "node_modules" / "axe-core" / "axe.min.js"
# The browser logs error responses that the page handles; those are not faults.
_REFUSED = "Failed to load resource: the server responded with a status of"

expect.set_options(timeout=60_000)


class Visit:
    """One browser window. Use ``page`` for the Playwright API."""

    def __init__(self, context: BrowserContext, page: Page, url: str, user: User | None) -> None:
        self.context = context
        self.page = page
        self.url = url
        self.user = user
        self.console_errors: list[str] = []
        self.external_requests: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.console_errors.append(f"error: {error}"))
        page.on("request", self._on_request)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_REFUSED):
            self.console_errors.append(f"{message.type}: {message.text}")

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.external_requests.append(request.url)

    async def go(self, path: str) -> Page:
        """Open a path of the dashboard; ``{p}`` stands for the user's project."""
        project_id = self.user.project_id if self.user else ""
        await self.page.goto(self.url + path.replace("{p}", f"/p/{project_id}"))
        return self.page

    def see(self, text: str) -> Locator:
        return self.page.get_by_text(text).first

    async def sees(self, *texts: str) -> None:
        for text in texts:
            await expect(self.see(text)).to_be_visible()

    async def accessibility(self) -> list[str]:
        """Serious and critical axe violations on the current page, one line per node."""
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
        assert self.console_errors == []
        assert self.external_requests == [], "the page made requests to other origins"


async def open_visit(
    driver: Driver, url: str, user: User | None = None, *, phone: bool = False, dark: bool = False
) -> Visit:
    context = await driver.browser.new_context(
        viewport=PHONE if phone else DESKTOP,  # type: ignore[arg-type]
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
        has_touch=phone,
    )
    if user is not None:
        await context.add_cookies([{"name": "loremark_login", "value": user.cookie, "url": url}])
    return Visit(context, await context.new_page(), url, user)
