"""Access control in the browser: other origins, signed-out users, read-only members."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, Response, expect

from tests.browser import sample_data
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import PASSWORD, Site, User

_ATTACK = """async ({url, project}) => {
  const tries = [
    ["POST", "/api/projects", {name: "Stolen"}],
    ["POST", "/api/keys", {name: "Stolen"}],
    ["POST", "/api/auth/logout", {}],
    ["POST", `/api/projects/${project}/hmac-secret/rotate`, {revokeNow: true}],
    ["POST", "/api/v2/events", {projectId: project, event: "session_save", payload: {summary: "Stolen"}}],
    ["DELETE", `/api/projects/${project}`, {}],
    ["GET", "/api/projects", undefined],
  ];
  const read = [];
  for (const [method, path, body] of tries) {
    for (const mode of ["no-cors", "cors"]) {
      const headers = {"Content-Type": mode === "cors" ? "application/json" : "text/plain"};
      const sent = {method, mode, credentials: "include", headers, body: body && JSON.stringify(body)};
      try {
        const answer = await fetch(url + path, sent);
        read.push(await answer.text());
      } catch {}
    }
  }
  return read.join("");
}"""
_FORM = """({url}) => {
  const form = document.createElement("form");
  Object.assign(form, {method: "post", action: `${url}/api/projects`, enctype: "text/plain"});
  const input = document.createElement("input");
  Object.assign(input, {name: '{"name": "Stolen", "description": "', value: '"}'});
  form.append(input);
  document.body.append(form);
  form.submit();
}"""


@contextmanager
def _foreign_page(framed: str) -> Iterator[int]:
    """A page on another port: the same site to a browser, so it sends our cookies, but another origin."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"<title>Win</title><h1>Win</h1><iframe src='{framed}'></iframe>".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


async def _sign_in(page: Page, user: User) -> None:
    await page.get_by_role("textbox", name="Email").fill(user.email)
    await page.get_by_role("textbox", name="Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()


async def test_another_origin_cannot_act_for_the_user(driver: Driver, visit: OpenVisit, olga: User) -> None:
    window = await visit(olga)
    page = window.page
    secret = olga.request("GET", f"/api/projects/{olga.project_id}/hmac-secret")
    keys = olga.request("GET", "/api/keys")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(f"{request.method} {request.url}"))
    with _foreign_page(f"{window.url}/team") as port:
        await page.goto(f"http://127.0.0.1:{port}/")
        await expect(page.get_by_role("heading", name="Win")).to_be_visible()
        assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"]
        for host in ("127.0.0.1", "localhost"):
            await page.goto(f"http://{host}:{port}/")
            leaked = await page.evaluate(_ATTACK, {"url": window.url, "project": olga.project_id})
            assert leaked == ""
        await page.goto(f"http://127.0.0.1:{port}/")
        async with page.expect_response(f"{window.url}/api/projects") as refused:
            await page.evaluate(_FORM, {"url": window.url})
        assert (await refused.value).status == 403
        await page.wait_for_url(f"{window.url}/api/projects")
    assert requests.count(f"POST {window.url}/api/keys") == 4
    assert [one["name"] for one in olga.request("GET", "/api/projects")] == ["Checkout service"]
    assert [one["id"] for one in olga.request("GET", "/api/keys")] == [one["id"] for one in keys]
    assert olga.request("GET", f"/api/projects/{olga.project_id}/hmac-secret") == secret
    assert olga.request("GET", "/api/v2/sessions", params={"projectId": olga.project_id}) == []
    await window.go("/account")  # still signed in
    await window.sees("Olga Owner")
    window.console_errors.clear()  # the browser logs every blocked request
    window.external_requests.clear()


_BROWSER_STATE = """async () => JSON.stringify([
  {...localStorage}, {...sessionStorage}, document.cookie, history.state, location.href,
  (await indexedDB.databases()).map((one) => one.name), await caches.keys(), document.documentElement.outerHTML,
])"""


async def test_no_secret_stays_in_the_browser(driver: Driver, visit: OpenVisit, olga: User) -> None:
    """A key is shown once, a signing secret on request, the login never; signing out leaves nothing behind."""
    hmac_secret = olga.request("GET", f"/api/projects/{olga.project_id}/hmac-secret")["secret"]
    window = await visit()
    page = await window.go("/keys")
    await _sign_in(page, olga)
    await expect(page).to_have_url(f"{window.url}/keys")
    login = next(one for one in await window.context.cookies() if one["name"] == "loremark_login")
    assert login["httpOnly"]
    assert login["sameSite"] == "Lax"
    await page.get_by_role("button", name="New key").first.click()
    await page.get_by_role("textbox", name="Name").fill("laptop")
    async with page.expect_response(lambda answer: answer.request.method == "POST") as made:
        await page.get_by_role("button", name="Create key").click()
    key = (await (await made.value).json())["key"]
    await window.sees(key)
    await page.get_by_role("button", name="Done").click()
    await expect(page.get_by_text(key)).to_have_count(0)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    addresses = ["/", f"/p/{olga.project_id}/memory", f"/p/{olga.project_id}/settings"]
    for address in addresses:
        await window.go(address)
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(page.get_by_role("button", name="Show secret")).to_be_visible()
    secrets = [key, hmac_secret, login["value"], olga.key, PASSWORD]
    state = await page.evaluate(_BROWSER_STATE)
    assert [secret for secret in secrets if secret in state + "".join(requested)] == []
    assert not [url for url in requested if "hmac-secret" in url]
    await page.get_by_role("button", name="Show secret").click()
    await window.sees(hmac_secret)
    await page.get_by_role("button", name=re.compile("^Account menu for")).click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    for _ in addresses:
        await page.go_back()
        await expect(page.get_by_role("button", name="Sign in")).to_be_visible()
        state = await page.evaluate(_BROWSER_STATE)
        assert [text for text in [*secrets, "Checkout service", olga.email, "Olga Owner"] if text in state] == []
    for path in ("/", "/p/x/memory", "/api/auth/me"):
        assert httpx.get(window.url + path, trust_env=False, verify=False).headers["cache-control"] == "no-store"
    assert await page.evaluate("fetch('/api/projects').then((answer) => answer.status)") == 401
    old = {"Cookie": f"loremark_login={login['value']}"}
    assert httpx.get(f"{window.url}/api/projects", headers=old, trust_env=False, verify=False).status_code == 401


@pytest.mark.nightly
async def test_sign_in_never_redirects_to_another_site(driver: Driver, visit: OpenVisit, olga: User) -> None:
    window = await visit()
    page = window.page
    # Browsers strip the tab (%09) from URLs, which leaves two slashes.
    for next_path in ("//evil.example", "/\\evil.example", "/%09/evil.example", "javascript:window.hit=1"):
        await window.go(f"/sign-in?next={next_path}")
        await _sign_in(page, olga)
        await expect(page.get_by_role("heading", level=1, name="Sign in")).to_have_count(0)
        assert page.url.startswith(f"{window.url}/"), next_path
        assert "evil" not in page.url
    assert await page.evaluate("window.hit ?? null") is None


# Buttons that change something, by the start of their label.
_CHANGES = re.compile(
    r"^(write|approve|deprecate|delete|edit|save|new|add|invite|start|scan|analy|look for|tidy|apply|archive|rotate|"
    r"remove|import|dry run|undo|revert|restore|bring back|enrich|retry|run|move|rename|cancel plan|change|compact|buy|"
    r"show secret|test|send|redeliver|select|create|revoke|connect|disconnect|enable|disable)",
    re.IGNORECASE,
)


async def test_read_only_members_are_offered_no_changes(
    driver: Driver, site: Site, visit: OpenVisit, olga: User
) -> None:
    project = olga.project_id
    sample_data.import_items(olga, 20)
    sample_data.populate(olga)
    session = olga.request("GET", "/api/v2/sessions", params={"projectId": project})[0]["id"]
    olga.request("PATCH", f"/api/projects/{project}", json={"visibility": "public"})
    mira = site.member(olga)
    mira.project_id = project
    item = sample_data.items(olga)[0]["id"]
    window = await visit(mira)
    page = window.page
    refused: list[Response] = []
    page.on("response", lambda answer: refused.append(answer) if answer.status >= 400 else None)
    offered: list[str] = []
    for path in (
        *(f"{{p}}/{name}" for name in ("review", "memory", "map", "brain", "sessions", "genesis", "hygiene")),
        *("{p}/webhooks", "{p}/settings", f"{{p}}/memory/{item}", f"{{p}}/sessions/{session}", "/team", "/billing"),
        "/audit",
        "/models",
    ):
        await window.go(path)
        await expect(page.get_by_role("heading", level=1), path).to_be_visible()
        await expect(page.get_by_role("main").get_by_label("Loading")).to_have_count(0)
        for button in await page.get_by_role("main").get_by_role("button", disabled=False).all():
            name = await button.get_attribute("aria-label") or await button.inner_text()
            if _CHANGES.match(name.strip()):
                offered.append(f"{path}: {name}")
    assert offered == []
    assert [f"{answer.status} {answer.url}" for answer in refused] == []
    answered = await page.evaluate(
        """async ([item, project]) => {
          const send = (method, path, body) => fetch(path, {method, headers: {"Content-Type": "application/json"},
            body: JSON.stringify(body)}).then((answer) => answer.status);
          return [await send("PATCH", `/api/v2/items/${item}`, {title: "Mine"}),
            await send("DELETE", `/api/v2/items/${item}`),
            await send("PATCH", `/api/projects/${project}`, {name: "Mine"}),
            await send("POST", "/api/team", {email: "m@example.com"}), await send("POST", "/api/billing/portal"),
            await send("POST", `/api/projects/${project}/hmac-secret/rotate`, {})];
        }""",
        [item, project],
    )
    assert answered == [403] * 6
