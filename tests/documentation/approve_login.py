"""A browser for ``loremark login --browser``: opens the page with a login cookie and presses Allow.

``python approve_login.py COOKIE ADDRESS``
"""

from __future__ import annotations

import re
import sys
from html import unescape

import httpx


def main(cookie: str, address: str) -> None:
    headers = {"Cookie": f"loremark_login={cookie}", "Sec-Fetch-Site": "same-origin"}
    with httpx.Client(headers=headers, verify=False) as browser:
        page = browser.get(address).raise_for_status().text
        fields = {name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', page)}
        allowed = browser.post(address.partition("?")[0], data=fields).raise_for_status().text
    callback = re.search(r'href="(http://127\.0\.0\.1:\d+/\?[^"]+)"', allowed)
    assert callback is not None, allowed
    httpx.get(unescape(callback.group(1))).raise_for_status()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
