"""Chromium, driven from its own thread so that its event loop does not interfere with other tests."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from playwright.async_api import Browser, Playwright, async_playwright

T = TypeVar("T")

_PROGRAM = os.environ.get("LOREMARK_TEST_CHROMIUM", "chromium")
_SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Render the same on every machine.
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
]


def _find_executable(program: str) -> str:
    if os.path.isabs(program):
        return program
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if os.access(os.path.join(folder, program), os.X_OK):
            return os.path.join(folder, program)
    raise RuntimeError(
        "Chromium was not found. Run `make develop` to install it, or set LOREMARK_TEST_CHROMIUM to its path."
    )


class Driver:
    """One browser for a whole test run."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="browser", daemon=True)
        self._thread.start()
        self._playwright: Playwright = self.run(async_playwright().start())
        self.browser: Browser = self.run(
            self._playwright.chromium.launch(executable_path=_find_executable(_PROGRAM), args=_SWITCHES)
        )

    def run(self, work: Coroutine[Any, Any, T], seconds: float = 60.0) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(seconds)

    def close(self) -> None:
        self.run(self.browser.close())
        self.run(self._playwright.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(60)
        self.loop.close()
