"""The dashboard in a browser: initial transfer size, time to first paint, and input latency.

Times are the browser's own (paint and event timing), on loopback. Page loads alternate with a bare page of the same
server, so that noise affects both.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.async_api import BrowserContext, Page
from tests.browser import sample_data
from tests.browser.conftest import SETTINGS
from tests.browser.driver import Driver
from tests.browser.site import Site, User
from tests.browser.visit import open_visit
from tests.support import databases
from tests.support.processes import Loremark

from loremark.features.dashboard import pages

WANTED_BYTES = 300_000
WANTED_MS = 100
ITEMS = 10_000
_ROUNDS = 7
_MIN_EVENT_MS = 16
"""The browser does not report shorter events."""
_IMPORTED = re.compile(r"""(?:from|import)\s*["']\./([\w.-]+\.js)["']""")
_ASSETS = Path(pages.__file__).parent / "built" / "assets"


def first_load(page: str) -> dict[str, int]:
    """The scripts that a page needs before it shows anything, and their compressed bytes."""
    html = (_ASSETS.parent / "index.html").read_text()
    named = re.findall(r"""["']/assets/([\w.-]+\.js)["']""", html)
    waiting = [*named, *(path.name for path in _ASSETS.glob(f"{page}-*.js"))]
    found: dict[str, int] = {}
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        small = _ASSETS / f"{name}.gz"
        found[name] = (small if small.exists() else _ASSETS / name).stat().st_size
        waiting += _IMPORTED.findall((_ASSETS / name).read_text())
    return found


def run(rounds: int = _ROUNDS, items: int = ITEMS) -> None:
    """Print bytes, load times and latencies, then the same as JSON."""
    driver = Driver()
    try:
        with tempfile.TemporaryDirectory(prefix="loremark-bench-") as root:
            folder = Path(root)
            with Loremark(folder, databases.fresh_sqlite(folder), SETTINGS).start() as process:
                site = Site(process.wait_ready(), "sqlite")
                user = site.team()
                sample_data.record_history(user)
                report = {"bytes": _initial_bytes(), "loads": driver.run(_loads(driver, site.url, user, rounds), 600)}
                busy_team = site.team(project="Crowd")
                sample_data.import_items(busy_team, items)
                report |= {"interactions": driver.run(_interactions(driver, site.url, busy_team), 600)}
    finally:
        driver.close()
    _print(report, items)


def _initial_bytes() -> dict[str, int]:
    return {page: sum(first_load(page).values()) for page in ("SignIn", "Home", "Memory", "Review")}


# Records when the text becomes readable. Checked in every frame, so it has to be cheap.
_WATCH = """(text) => {
  const look = () => {
    const shown = document.querySelector("main") ?? document.body;
    if (shown?.textContent.includes(text)) window.seenAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
_LOADED = """async () => {
  const painted = () => performance.getEntriesByName("first-contentful-paint")[0];
  while (!window.seenAt || !painted()) {
    if (performance.now() > 30_000) throw new Error(`${location.pathname} does not show what was looked for`);
    await new Promise((done) => setTimeout(done, 50));
  }
  const paint = painted();
  const scripts = performance.getEntriesByType("resource").filter((one) => one.name.endsWith(".js"));
  return {
    fcp: paint.startTime,
    seen: window.seenAt,
    scripts: scripts.length,
    sent: scripts.reduce((sum, one) => sum + one.transferSize, 0),
  };
}"""


async def _load(context: BrowserContext, address: str, text: str) -> dict[str, float]:
    page = await context.new_page()
    await page.add_init_script(f"({_WATCH})({json.dumps(text)})")
    await page.goto(address)
    report: dict[str, float] = await page.evaluate(_LOADED)
    await page.close()
    return report


async def _loads(driver: Driver, url: str, user: User, rounds: int) -> dict[str, dict[str, float]]:
    targets = {
        "bare page": ("/connect", "Nothing is asked here"),
        "sign-in": ("/sign-in", "Sign in"),
        "Home": ("/", "Checkout"),
    }
    reports: dict[str, list[dict[str, float]]] = {}
    for _ in range(rounds):
        for name, (path, text) in targets.items():
            window = await open_visit(driver, url, None if name == "sign-in" else user)
            for cache in ("cold", "warm"):
                report = await _load(window.context, url + path, text)
                reports.setdefault(f"{name}, {cache}", []).append(report)
            await window.context.close()
    keys = ("fcp", "seen", "scripts", "sent")
    return {name: {key: median(one[key] for one in report) for key in keys} for name, report in reports.items()}


_OBSERVE = """() => {
  window.events = new Map();
  new PerformanceObserver((list) => {
    for (const one of list.getEntries())
      if (one.interactionId) events.set(one.interactionId, Math.max(events.get(one.interactionId) ?? 0, one.duration));
  }).observe({type: "event", durationThreshold: 16});
  window.frames_ = [];
  let last = performance.now();
  const frame = (now) => { frames_.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""
_COLLECT = """() => new Promise((done) => setTimeout(() => {
  const result = {durations: [...events.values()], frames: [...frames_], nodes: document.querySelectorAll("*").length};
  events.clear();
  frames_.length = 0;
  done(result);
}, 250))"""
Step = Callable[[Page], Awaitable[None]]


def _press(*keys: str, pause_ms: int = 60) -> Step:
    async def pressing(page: Page) -> None:
        for key in keys:
            await page.keyboard.press(key)
            await page.wait_for_timeout(pause_ms)

    return pressing


async def _scroll(page: Page) -> None:
    await page.mouse.move(640, 500)
    for _ in range(40):
        await page.mouse.wheel(0, 400)
        await page.wait_for_timeout(30)


async def _scroll_to_end(page: Page) -> None:
    """Scroll for a few seconds: rows above the viewport stay in the page and must not slow it down."""
    for _ in range(60):
        await page.keyboard.press("End")
        await page.wait_for_timeout(120)


async def _filter(page: Page) -> None:
    box = page.get_by_role("combobox", name="Type")
    for kind in ("decision", "bug", "convention"):
        await box.click()
        await page.get_by_role("option", name=kind, exact=True).click()
        await page.wait_for_timeout(300)


async def _select(page: Page) -> None:
    boxes = page.get_by_role("list", name="Memories").get_by_role("checkbox")
    for place in range(8):
        await boxes.nth(place).click()
        await page.wait_for_timeout(60)


async def _type(page: Page) -> None:
    await page.get_by_role("searchbox").click()
    for letter in "basket rule 42":
        await page.keyboard.press("Space" if letter == " " else letter)
        await page.wait_for_timeout(90)


# The steps on each page, in order, with their number of interactions.
_STEPS: dict[str, list[tuple[str, Step, int]]] = {
    "memory": [
        ("scroll 16,000 px", _scroll, 0),
        ("key j x 50", _press(*["j"] * 50), 50),
        ("select by x", _press(*["x", "j"] * 15), 30),
        ("select by click", _select, 8),
        ("End x 60", _scroll_to_end, 60),
        ("key j, far down", _press("k", *["j"] * 19), 20),
        ("filter", _filter, 6),
        ("type in search", _type, 15),
    ],
    "review": [
        ("key j x 50", _press(*["j"] * 50), 50),
        ("approve x 20", _press(*["a"] * 20, pause_ms=150), 20),
        ("next list", _press("2", "1", "2", "1", pause_ms=300), 4),
    ],
}


async def _interactions(driver: Driver, url: str, busy_team: User) -> dict[str, dict[str, float]]:
    report: dict[str, dict[str, float]] = {}
    for route, steps in _STEPS.items():
        window = await open_visit(driver, url, busy_team)
        page = await window.go(f"{{p}}/{route}")
        await page.get_by_role("main").get_by_text(re.compile(r"^Rule \d+ of the")).first.wait_for()
        await page.evaluate(_OBSERVE)
        for name, step, count in steps:
            await page.evaluate(_COLLECT)
            await step(page)
            report[f"{route}: {name}"] = _figures(await page.evaluate(_COLLECT), count)
        await window.context.close()
    return report


def _figures(events: dict[str, Any], count: int) -> dict[str, float]:
    """Events too short to be reported count as the shortest reportable duration."""
    durations = [*events["durations"], *[_MIN_EVENT_MS] * (count - len(events["durations"]))]
    return {
        "count": count,
        "p50": median(durations) if durations else 0,
        "p95": _p95(durations),
        "worst": max(durations, default=0),
        "frame_p95": _p95(events["frames"]),
        "frame_worst": max(events["frames"], default=0),
        "nodes": events["nodes"],
    }


def _p95(values: Iterable[float]) -> float:
    known = list(values)
    return quantiles(known, n=20, method="inclusive")[-1] if len(known) > 1 else max(known, default=0)


def _print(report: dict[str, Any], items: int) -> None:
    print("first load: scripts, compressed")
    for page, size in report["bytes"].items():
        print(f"  {page:<12}{size / 1000:8.1f} KB{'' if size < WANTED_BYTES else '  above what is wanted'}")
    print(f"\n{'loads, medians':<20}{'FCP ms':>9}{'seen ms':>9}{'scripts':>9}{'KB sent':>9}{'x bare':>8}")
    for name, one in report["loads"].items():
        bare = report["loads"]["bare page, " + name.split(", ")[1]]["seen"]
        print(
            f"{name:<20}{one['fcp']:9.0f}{one['seen']:9.0f}{one['scripts']:9.0f}{one['sent'] / 1000:9.1f}"
            f"{one['seen'] / bare:8.1f}"
        )
    heads = f"{'p50 ms':>8}{'p95 ms':>8}{'worst':>8}{'frame p95':>11}{'worst':>8}{'nodes':>8}"
    print(f"\n{f'with {items:,} items':<28}{heads}")
    for name, one in report["interactions"].items():
        print(
            f"{name:<28}{one['p50']:8.0f}{one['p95']:8.0f}{one['worst']:8.0f}{one['frame_p95']:11.0f}"
            f"{one['frame_worst']:8.0f}{one['nodes']:8.0f}"
        )
    print(f"wanted: below {WANTED_BYTES / 1000:.0f} KB; p95 of an interaction at most {WANTED_MS} ms")
    print(json.dumps(report))
