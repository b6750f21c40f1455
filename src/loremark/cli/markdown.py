"""Print Markdown: unchanged when piped, lightly styled on a terminal."""

from __future__ import annotations

from loremark.cli import output

_FENCES = ("```", "~~~")


def show(text: str) -> None:
    """Print Markdown without its control characters."""
    fence = ""
    for line in text.splitlines():
        stripped = line.lstrip()
        if stripped.startswith(_FENCES) and (not fence or stripped.startswith(fence)):
            fence = "" if fence else stripped[:3]
            output.write(output.styled(line, "dim"))
        elif fence:
            output.write(output.styled(line, "cyan"))
        else:
            output.write(output.styled(line, *_styles(stripped)))


def _styles(line: str) -> tuple[str, ...]:
    if line.startswith("#"):
        return ("bold",)
    return ("dim",) if line.startswith((">", "<!--")) else ()
