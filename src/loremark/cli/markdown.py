"""Markdown for a person: as it is where it is piped on, with a little shape on a terminal."""

from __future__ import annotations

from loremark.cli import page

_FENCES = ("```", "~~~")


def show(text: str) -> None:
    """Print it; nothing in it reaches the terminal as a command."""
    fence = ""
    for line in text.splitlines():
        begun = line.lstrip()
        if begun.startswith(_FENCES) and (not fence or begun.startswith(fence)):
            fence = "" if fence else begun[:3]
            page.write(page.styled(line, "dim"))
        elif fence:
            page.write(page.styled(line, "cyan"))
        else:
            page.write(page.styled(line, *_styles(begun)))


def _styles(line: str) -> tuple[str, ...]:
    if line.startswith("#"):
        return ("bold",)
    return ("dim",) if line.startswith((">", "<!--")) else ()
