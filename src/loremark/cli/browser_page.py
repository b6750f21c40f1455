"""Open a link that contains a secret in the browser.

Every user of a machine can read the arguments of its processes. So the browser is given a file that only this user can
read, which redirects to the link.
"""

from __future__ import annotations

import os
import webbrowser
from html import escape
from pathlib import Path

from loremark.base.folders import state_folder
from loremark.cli.output import note

FILE = "open.html"
_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>Loremark</title>
<p><a href="{link}">Continue to Loremark</a></p>
"""


def open_link(link: str) -> None:
    """Open the link, which has been printed already, in case the browser cannot read the file."""
    path = Path(state_folder(), FILE)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = f"{path}.{os.getpid()}.part"
        number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(number, "w", encoding="utf-8") as file:
            file.write(_PAGE.format(link=escape(link)))
        os.replace(part, path)
    except OSError as error:
        note(f"Cannot open the browser ({error.strerror}); open the link yourself.")
        return
    if not webbrowser.open(path.as_uri()):
        note("Cannot open a browser; open the link yourself.")
