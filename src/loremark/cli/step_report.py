"""What a step of ``loremark setup`` or ``loremark uninstall`` would do, or has done."""

from __future__ import annotations

from typing import Literal, NamedTuple

from loremark.cli import output

State = Literal["planned", "done", "unchanged", "skipped", "failed"]
_MARKS = {
    "planned": ("+", "cyan"),
    "done": ("✓", "green"),
    "unchanged": ("✓", "dim"),
    "skipped": ("-", "dim"),
    "failed": ("✗", "red"),
}
_NAME_CHARS = 9


class Step(NamedTuple):
    """One line of the report; ``details`` are files, counts and hints below it."""

    name: str
    state: State
    message: str
    details: tuple[str, ...] = ()


def show(step: Step) -> None:
    mark, color = _MARKS[step.state]
    output.write(f"{output.styled(mark, color)} {step.name:<{_NAME_CHARS}}  {output.one_line(step.message)}")
    for line in step.details:
        output.write(output.styled(f"  {'':<{_NAME_CHARS}}  {output.one_line(line)}", "dim"))
